// Registers @winnow in the chat.

import * as vscode from "vscode";
import { escapeMarkdown } from "../base/format";
import { errorText, isCancelled } from "../daemon/errors";
import { type Consent, buttons } from "../routing/consent";
import { cleanError } from "../chat/errors";
import { ownVendor, twinned } from "../models/twins";
import type { ServerWaitResult, TaskDescribeCallResult } from "../protocol/protocol.gen";
import { messageWaits } from "../window/ask";
import type { RoutedTask, Sessions } from "../window/sessions";
import type { Winnow } from "../window/winnow";
import { type AnswerScreen, type Chats, type Outcome, answer } from "./answer";
import { type AnswerMetadata, attachedTo, hostTools, modelOf, pastOf } from "./chat";
import { commands } from "./commands";
import { stateOf } from "./conversation";
import { Questions } from "./questions";

/** As package.json has it. */
const participantId = "winnow.chat";

/** The command of a question's buttons; it is in no menu. */
const answerCommand = "winnow.answerCall";

/** Registers the participant, which uses the same routing as the routed models. */
export function registerParticipant(winnow: Winnow, sessions: Sessions, answering: Omit<Chats, "daemon">): void {
  const participant = new Participant(winnow, sessions, { daemon: winnow.daemon, ...answering });
  const registered = winnow.own(vscode.chat.createChatParticipant(participantId, participant.handle));
  registered.iconPath = new vscode.ThemeIcon("filter");
  registered.followupProvider = { provideFollowups };
  winnow.own(vscode.commands.registerCommand(answerCommand, participant.answered));
}

class Participant {
  readonly #winnow: Winnow;
  readonly #sessions: Sessions;
  readonly #chats: Chats;
  readonly #questions = new Questions();

  constructor(winnow: Winnow, sessions: Sessions, chats: Chats) {
    this.#winnow = winnow;
    this.#sessions = sessions;
    this.#chats = chats;
  }

  /** Handles a message to @winnow. */
  readonly handle: vscode.ChatRequestHandler = async (request, context, stream, token) => {
    const waits = messageWaits.event((question) =>
      stream.progress(`Waiting for your answer to a notification: ${question}`),
    );
    try {
      const command = commands[request.command ?? ""];
      if (command === undefined) return await this.#answer(request, context, stream, token);
      const result = await command({
        ...this.#chats,
        words: request.prompt.trim(),
        state: stateOf(pastOf(context)),
        routed: this.#routed(request.model),
        sections: (task) => this.#sessions.of(task)?.sections ?? [],
      });
      stream.markdown(result.markdown);
      const { state } = result;
      return { metadata: state === undefined ? {} : { record: { version: 1, state, messages: [], dropped: 0 } } };
    } catch (err) {
      if (token.isCancellationRequested || isCancelled(err)) return {};
      this.#winnow.log.error(`@winnow: ${errorText(err)}`);
      return { errorDetails: { message: errorText(err) } };
    } finally {
      waits.dispose();
    }
  };

  /** Handles a click on a question's button. Without a number it answers the oldest question. */
  readonly answered = (question: number | undefined, answer: Consent): void => {
    const number = question ?? this.#questions.open[0] ?? 0;
    if (this.#questions.answer(number, answer)) return;
    void vscode.window.showInformationMessage("This call was answered already, or its request is over.");
  };

  /** The latest task of a routed model's chat, which may be this chat: no API tells the chat of a command. */
  #routed({ vendor, name }: vscode.LanguageModelChat): RoutedTask | undefined {
    return vendor === ownVendor ? this.#sessions.latest("model", twinned(name)) : undefined;
  }

  async #answer(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const past = pastOf(context);
    let up: ServerWaitResult | undefined;
    const outcome = await answer(this.#chats, {
      prompt: request.prompt,
      attached: await attachedTo(request),
      past,
      folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      model: modelOf(request.model),
      maxRounds: vscode.workspace.getConfiguration("chat").get("agent.maxRequests", 25),
      host: hostTools(request),
      screen: this.#screen(stream, (servers) => (up = servers)),
      token,
    });
    // After the response: the chat collapses what precedes it.
    if (past.length === 0) showNote(up, stream);
    return this.#finish(outcome, stream);
  }

  #finish({ ending, record, error }: Outcome, stream: vscode.ChatResponseStream): vscode.ChatResult {
    const metadata: AnswerMetadata = { ...(record && { record }), ending };
    if (ending === "rounds") {
      stream.markdown(
        "\n\n*Stopped: the model was asked as often as VS Code's setting `chat.agent.maxRequests` allows for one message.*",
      );
    }
    if (ending !== "failed") return { metadata };
    const { message } = cleanError(error);
    this.#winnow.log.error(`@winnow: the model failed: ${message}`);
    return { metadata, errorDetails: { message } };
  }

  /** The chat view of an answer. */
  #screen(stream: vscode.ChatResponseStream, onServers: AnswerScreen["servers"]): AnswerScreen {
    return {
      say: (text) => stream.markdown(text),
      progress: (message) => stream.progress(message),
      warn: (message) => {
        this.#winnow.log.warn(message);
        stream.markdown(`\n\n> ${escapeMarkdown(message)}\n\n`);
      },
      servers: onServers,
      confirm: (call, token) => this.#confirm(call, stream, token),
      routed: (task) => this.#sessions.route({ ...task, face: "participant" }),
    };
  }

  async #confirm(
    call: TaskDescribeCallResult,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Consent> {
    const answer = await this.#questions.ask((question) => {
      stream.markdown(`\n\n${call.question?.markdown ?? ""}\n\n`);
      for (const [title, answer] of [...Object.entries(buttons), ["Skip", "skip"]] as const) {
        stream.button({ command: answerCommand, title, arguments: [question, answer] });
      }
    }, token);
    if (!token.isCancellationRequested) stream.markdown(`\n\n*${said[answer]}*\n\n`);
    return answer;
  }
}

/** The text after an answered question, whose buttons stay visible. */
const said: Record<Consent, string> = {
  once: "Allowed.",
  task: "Allowed in this chat.",
  always: "Always allowed: it stands in `alwaysAllow` of the server's entry.",
  skip: "Skipped.",
};

/** Shows the problems of the servers, once per chat. */
function showNote(up: ServerWaitResult | undefined, stream: vscode.ChatResponseStream): void {
  if (up?.unusable === undefined) return;
  stream.markdown(`\n\n> ${up.unusable}\n\n`);
  const buttons = up.servers.length === 0 ? withoutServers : [{ command: "winnow.showServers", title: "Show Servers" }];
  for (const button of buttons) stream.button(button);
}

/** The next steps of a user without servers. */
const withoutServers: vscode.Command[] = [
  { command: "winnow.openWorkspaceFile", title: "Add a Server" },
  { command: "winnow.importServers", title: "Import Servers…" },
];

function provideFollowups({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
  const { ending, record } = (metadata ?? {}) as AnswerMetadata;
  if (ending === "rounds") return [{ prompt: "Continue.", label: "Continue" }];
  if (ending !== "answered" || record?.state === undefined) return [];
  return [
    { prompt: "", command: "why", label: "Why these tools?" },
    { prompt: "", command: "usage", label: "Where does the context go?" },
  ];
}
