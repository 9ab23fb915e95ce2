// The tool winnow_call, by which a routed model reaches a tool that VS Code
// hides from it behind a group.

import * as vscode from "vscode";
import { proxyTool } from "./hosttools";

/** What winnow_call is called with. */
interface CallInput {
  /** The name of one of MCP's tools. */
  tool: string;
  input?: object;
}

/** Runs the real tool, which VS Code shows and asks about as it does without us. */
class CallTool implements vscode.LanguageModelTool<CallInput> {
  readonly #use: (tool: string) => boolean;

  /** @param use uses up leave to call a tool; false when there is none: the tool may have been switched off. */
  constructor(use: (tool: string) => boolean) {
    this.#use = use;
  }

  prepareInvocation({ input }: vscode.LanguageModelToolInvocationPrepareOptions<CallInput>) {
    return { invocationMessage: `Running ${input.tool}` };
  }

  async invoke(
    options: vscode.LanguageModelToolInvocationOptions<CallInput>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const { tool, input = {} } = options.input;
    if (!this.#use(tool)) {
      throw new Error(
        `${tool} is not offered to this chat; only a model named “… (Winnow)” can call tools by ${proxyTool}, those that Winnow attached`,
      );
    }
    return vscode.lm.invokeTool(tool, { input, toolInvocationToken: options.toolInvocationToken }, token);
  }
}

/** Registers winnow_call. */
export function registerCallTool(use: (tool: string) => boolean): vscode.Disposable {
  return vscode.lm.registerTool(proxyTool, new CallTool(use));
}
