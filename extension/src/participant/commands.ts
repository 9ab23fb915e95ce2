import { escapeMarkdown } from "../base/format";
import type { Daemon } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import {
  type Attachment,
  ModeList,
  ModeSet,
  TaskLoad,
  type TaskLoadResult,
  TaskOpen,
  TaskReport,
  type TaskReportParams,
  type TaskState,
  type UsageSection,
} from "../protocol/protocol.gen";
import { routedName } from "../models/twins";
import type { RoutedTask } from "../window/sessions";
import { type Chats, resume } from "./answer";

/** The result of a command. */
export interface CommandAnswer {
  markdown: string;
  /** The task, if the command created or changed it. */
  state?: TaskState;
}

/** The context of a command. */
export interface CommandContext extends Pick<Chats, "daemon" | "routing"> {
  /** The text after the command. */
  words: string;
  /** The chat's task; undefined before its first message. */
  state: TaskState | undefined;
  /** The task of a routed model that the chat may be about if it has no task of @winnow. */
  routed: RoutedTask | undefined;
  /** Returns the parts of the chat's latest request other than MCP tools. */
  sections: (task: string) => readonly UsageSection[];
}

type Command = (context: CommandContext) => Promise<CommandAnswer>;

/** The commands of @winnow, as package.json declares them. */
export const commands: Record<string, Command> = { why, usage, load, mode };

/** The answer if there is no task yet. */
const noTask: CommandAnswer = {
  markdown: "This chat has no task yet: send `@winnow` a message first. Tools are chosen by what you write.",
};

/**
 * Runs an action on the task of the chat. In a chat with a routed model @winnow has no task of its own. Returns
 * undefined if there is no task.
 */
async function inTask<R>(
  { daemon, routing, state, routed }: CommandContext,
  act: (task: string) => Promise<R>,
): Promise<R | undefined> {
  const task = state?.task ?? routed?.task;
  if (task === undefined) return undefined;
  try {
    return await act(task);
  } catch (err) {
    if (state === undefined || !(err instanceof DaemonError) || err.data?.kind !== "unknownTask") throw err;
    await resume(daemon, routing, state); // the daemon was restarted
    return act(task);
  }
}

/** Returns which chat an answer is about if it may be another one. */
function about({ state, routed }: CommandContext): string {
  if (state !== undefined || routed === undefined) return "";
  const { title, model } = routed;
  return `The latest chat with ${escapeMarkdown(routedName(model))}${title === undefined ? "" : `, “${escapeMarkdown(title)}”`}:\n\n`;
}

async function why(context: CommandContext): Promise<CommandAnswer> {
  const tool = context.words.replaceAll("`", "");
  return report(context, (task) => ({ task, about: "why", ...(tool !== "" && { tool }) }));
}

async function usage(context: CommandContext): Promise<CommandAnswer> {
  return report(context, (task) => ({ task, about: "usage", sections: [...context.sections(task)] }));
}

async function report(context: CommandContext, params: (task: string) => TaskReportParams): Promise<CommandAnswer> {
  const result = await inTask(context, (task) => context.daemon.request(TaskReport, params(task)));
  return result === undefined ? noTask : { markdown: about(context) + result.markdown };
}

async function load(context: CommandContext): Promise<CommandAnswer> {
  const { daemon, routing, words, state } = context;
  if (words === "") return { markdown: "Say what to load, by words or by name: `/load take a screenshot`." };
  const inChat = await inTask(context, (task) => loadWords(daemon, task, words));
  const open = async () =>
    (await daemon.request(TaskOpen, { message: words, source: await routing.daemon.everyServer(routing.listing()) }))
      .task;
  const result = inChat ?? (await loadWords(daemon, await open(), words));
  // The daemon stores a routed chat's task.
  const own = state !== undefined || inChat === undefined;
  return { markdown: about(context) + (result.report ?? ""), ...(own && stateIn(result.attachment)) };
}

/** Loads a tool by its name; any other text is a search. */
async function loadWords(daemon: Daemon, task: string, words: string): Promise<TaskLoadResult> {
  if (!/\s/.test(words)) {
    const named = await daemon.request(TaskLoad, { task, names: [words.replaceAll("`", "")] });
    if (named.loaded.length > 0) return named;
  }
  return daemon.request(TaskLoad, { task, query: words });
}

function stateIn({ state }: Attachment): { state?: TaskState } {
  return state === undefined ? {} : { state };
}

async function mode({ daemon, words }: CommandContext): Promise<CommandAnswer> {
  if (words === "") return { markdown: await modes(daemon) };
  const slug = words.replaceAll("`", "");
  try {
    await daemon.request(ModeSet, { mode: slug === "none" ? "" : slug });
  } catch (err) {
    if (!(err instanceof DaemonError) || err.data?.kind !== "unknownMode") throw err;
    return { markdown: `${err.text}\n\n${await modes(daemon)}` };
  }
  const now = slug === "none" ? "No mode is set any more" : `The mode is \`${slug}\` now`;
  return { markdown: `${now}; it counts from your next message on.` };
}

async function modes(daemon: Daemon): Promise<string> {
  return (await daemon.request(ModeList, {})).report ?? "";
}
