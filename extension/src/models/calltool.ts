// The tool winnow_call, by which a routed model calls tools that VS Code hides behind a group, and tools of servers
// that Winnow runs.

import * as vscode from "vscode";
import { isCancelled } from "../daemon/errors";
import type { CallQuestion } from "../protocol/protocol.gen";
import { askAside } from "../window/ask";
import type { Allowances } from "../routing/allowances";
import type { CallScreen, Calls, HostRun } from "../routing/calls";
import { type Consent, buttons, consentOf, questionTool } from "../routing/consent";
import { mcpTag } from "../routing/daemon";
import { proxyTool } from "../routing/history";
import { routedName } from "./twins";
import { readPart, writeResult } from "../chat/vscodeparts";

/** The input of winnow_call. */
interface CallInput {
  /** The task of the calling model; absent only if it is not a routed model. */
  task?: string;
  /** The name of an MCP tool. */
  tool: string;
  input?: object;
}

/** Runs the real tool. For its own tools VS Code shows the call and asks the user as usual. */
class CallTool implements vscode.LanguageModelTool<CallInput> {
  readonly #allowances: Allowances;
  readonly #calls: Calls;
  readonly #warn: (message: string) => void;

  /** @param allowances consumed by calls; without one the tool may have been disabled */
  constructor(allowances: Allowances, calls: Calls, warn: (message: string) => void) {
    this.#allowances = allowances;
    this.#calls = calls;
    this.#warn = warn;
  }

  async prepareInvocation(
    { input: { task, tool, input = {} } }: vscode.LanguageModelToolInvocationPrepareOptions<CallInput>,
    token: vscode.CancellationToken,
  ) {
    const aside = task !== undefined && !hasTool(questionTool) && !isHosts(tool);
    // An error here also fails the call, which reports it.
    const waits = aside && (await this.#calls.asks({ task, name: tool, input }, token).catch(() => false));
    const waiting = `Waiting for your answer to a notification: may ${tool} run?`;
    return { invocationMessage: waits ? waiting : `Running ${tool}` };
  }

  async invoke(
    options: vscode.LanguageModelToolInvocationOptions<CallInput>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const { task, tool, input = {} } = options.input;
    if (task === undefined || !this.#allowances.use(task, tool)) {
      throw new Error(
        `${tool} is not offered to this chat; only a model named “${routedName("…")}” can call tools by ${proxyTool}, those that Winnow attached`,
      );
    }
    const { toolInvocationToken } = options;
    if (isHosts(tool)) {
      return vscode.lm.invokeTool(tool, { input, toolInvocationToken }, token);
    }
    const host: HostRun = async (name, input, token) =>
      (await vscode.lm.invokeTool(name, { input, toolInvocationToken }, token)).content.map(readPart);
    const screen: CallScreen = {
      progress: () => undefined, // VS Code shows the call, without progress
      warn: this.#warn,
      confirm: ({ question }, token) => ask(question, { toolInvocationToken }, token),
    };
    try {
      return writeResult(await this.#calls.run({ task, name: tool, input }, screen, host, token));
    } catch (err) {
      // VS Code's question ends with this error if the chat continues without an answer.
      if (isCancelled(err) || (err instanceof Error && err.name === "Canceled")) throw new vscode.CancellationError();
      throw err;
    }
  }
}

/** Reports whether VS Code has a tool now. VS Code registers its own tools after the extensions'. */
function hasTool(name: string): boolean {
  return vscode.lm.tools.some((tool) => tool.name === name);
}

/** Reports whether VS Code runs an MCP tool of this name. A tool of VS Code's own with that name was not attached. */
function isHosts(tool: string): boolean {
  return vscode.lm.tools.some(({ name, tags }) => name === tool && tags.includes(mcpTag));
}

/**
 * Asks in the chat, which does not take the focus, or by a notification. VS Code's own question would be about
 * winnow_call: allowing it for a session would allow every tool.
 */
async function ask(
  question: CallQuestion | undefined,
  options: Pick<vscode.LanguageModelToolInvocationOptions<object>, "toolInvocationToken">,
  token: vscode.CancellationToken,
): Promise<Consent> {
  if (question === undefined) return "skip";
  const labels = Object.keys(buttons);
  const chat: unknown = options.toolInvocationToken;
  if (chat === undefined || !hasTool(questionTool)) {
    return consentOf(await askAside(question.line, labels, token));
  }
  const [first = "", ...wider] = labels;
  // The first two are buttons, the others are in a menu.
  const input = { title: question.title, message: question.markdown, buttons: [first, "Skip", ...wider] };
  const { content } = await vscode.lm.invokeTool(questionTool, { ...options, input }, token);
  return consentOf(content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join(""));
}

/** Registers winnow_call. */
export function registerCallTool(
  allowances: Allowances,
  calls: Calls,
  warn: (message: string) => void,
): vscode.Disposable {
  return vscode.lm.registerTool(proxyTool, new CallTool(allowances, calls, warn));
}
