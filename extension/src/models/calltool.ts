// The tool winnow_call, by which a routed model reaches a tool that VS Code
// hides from it behind a group, and one whose server Winnow runs.

import * as vscode from "vscode";
import { isCancelled } from "../daemon/errors";
import type { TaskDescribeCallResult } from "../protocol/protocol.gen";
import type { Allowances } from "./allowances";
import type { CallScreen, Calls, Consent, HostRun } from "./calls";
import { proxyTool } from "./hosttools";
import { mcpTag } from "./servers";
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
  readonly #screen: CallScreen;

  /** @param allowances are used up by calls; without one the tool may have been switched off */
  constructor(allowances: Allowances, calls: Calls, warn: (message: string) => void) {
    this.#allowances = allowances;
    this.#calls = calls;
    // VS Code shows the call itself, and takes no progress of it.
    this.#screen = { progress: () => undefined, warn, confirm: ask };
  }

  prepareInvocation({ input }: vscode.LanguageModelToolInvocationPrepareOptions<CallInput>) {
    return { invocationMessage: `Running ${input.tool}` };
  }

  async invoke(
    options: vscode.LanguageModelToolInvocationOptions<CallInput>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const { task, tool, input = {} } = options.input;
    if (task === undefined || !this.#allowances.use(task, tool)) {
      throw new Error(
        `${tool} is not offered to this chat; only a model named “… (Winnow)” can call tools by ${proxyTool}, those that Winnow attached`,
      );
    }
    const { toolInvocationToken } = options;
    // One of VS Code's own of the same name is none that was attached.
    if (vscode.lm.tools.some(({ name, tags }) => name === tool && tags.includes(mcpTag))) {
      return vscode.lm.invokeTool(tool, { input, toolInvocationToken }, token);
    }
    const host: HostRun = async (name, input, token) =>
      (await vscode.lm.invokeTool(name, { input, toolInvocationToken }, token)).content.map(readPart);
    try {
      return writeResult(await this.#calls.run({ task, name: tool, input }, this.#screen, host, token));
    } catch (err) {
      if (isCancelled(err)) throw new vscode.CancellationError();
      throw err;
    }
  }
}

/** The answers of the question, by the words of their buttons. */
const answers: Record<string, Consent> = { Allow: "once", "Allow in This Chat": "chat", "Always Allow": "always" };

/**
 * Asks by a dialog. VS Code's own question would be about winnow_call: whoever
 * allowed it for a session would have allowed every tool.
 */
async function ask({ question }: TaskDescribeCallResult): Promise<Consent> {
  const { title = "", detail = "" } = question ?? {};
  const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail }, ...Object.keys(answers));
  return answers[chosen ?? ""] ?? "skip";
}

/** Registers winnow_call. */
export function registerCallTool(
  allowances: Allowances,
  calls: Calls,
  warn: (message: string) => void,
): vscode.Disposable {
  return vscode.lm.registerTool(proxyTool, new CallTool(allowances, calls, warn));
}
