// The tool winnow_call, by which a routed model reaches a tool that VS Code
// hides from it behind a group, and one whose server Winnow runs.

import * as vscode from "vscode";
import { isCancelled } from "../daemon/errors";
import type { CallQuestion } from "../protocol/protocol.gen";
import { askAside } from "../window/ask";
import type { Allowances } from "./allowances";
import type { CallScreen, Calls, HostRun } from "./calls";
import { type Consent, buttons, consentOf, questionTool } from "./consent";
import { mcpTag } from "./daemon";
import { proxyTool } from "./history";
import { routedName } from "./twins";
import { readPart, writeResult } from "./vscodeparts";

/** What winnow_call is called with. */
interface CallInput {
  /** The task whose model called; absent only where it was no routed model. */
  task?: string;
  /** The name of one of MCP's tools. */
  tool: string;
  input?: object;
}

/** Runs the real tool. VS Code shows one of its own, and asks about it, as it does without us. */
class CallTool implements vscode.LanguageModelTool<CallInput> {
  readonly #allowances: Allowances;
  readonly #calls: Calls;
  readonly #warn: (message: string) => void;

  /** @param allowances are used up by calls; without one the tool may have been switched off */
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
    // What hinders that it is known hinders the call, which says so.
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
      progress: () => undefined, // VS Code shows the call itself, and takes no progress of it
      warn: this.#warn,
      confirm: ({ question }, token) => ask(question, { toolInvocationToken }, token),
    };
    try {
      return writeResult(await this.#calls.run({ task, name: tool, input }, screen, host, token));
    } catch (err) {
      // VS Code's question ends so when the chat goes on without an answer.
      if (isCancelled(err) || (err instanceof Error && err.name === "Canceled")) throw new vscode.CancellationError();
      throw err;
    }
  }
}

/** Whether VS Code has a tool of a name now. Its own come after the extensions'. */
function hasTool(name: string): boolean {
  return vscode.lm.tools.some((tool) => tool.name === name);
}

/** Whether a tool is one of MCP's that VS Code runs. One of VS Code's own of the same name is none that was attached. */
function isHosts(tool: string): boolean {
  return vscode.lm.tools.some(({ name, tags }) => name === tool && tags.includes(mcpTag));
}

/**
 * Asks in the chat, where nothing takes the focus, or beside it. VS Code's question about a tool would be about
 * winnow_call: whoever allowed it for a session would have allowed every tool.
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
  // The first two are buttons, the others in a menu.
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
