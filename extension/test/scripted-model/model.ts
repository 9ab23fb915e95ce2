import * as vscode from "vscode";
import { record } from "./record";
import type { Exchange, Script, Step } from "./script";

/** What our models have in common. */
const common = {
  family: "scripted",
  version: "1",
  maxInputTokens: 200_000,
  maxOutputTokens: 8000,
  capabilities: { toolCalling: true, imageInput: true },
};

/** There from the start. */
const one = { ...common, id: "scripted-one", name: "Scripted One" };

/** There when a test or the user says so. */
const late = { ...common, id: "scripted-late", name: "Scripted Late" };

/** Stands for one of Copilot's own, of a family that Copilot serves with its own tool search. */
export const copilots = { ...common, id: "claude-sonnet-4.6", name: "Claude Sonnet 4.6", family: "claude-sonnet-4.6" };

/** What the extension exports; the suites in the extension host hold it. */
export class ScriptedModel implements vscode.LanguageModelChatProvider {
  /** Every request so far, in order. Suites empty it at will. */
  readonly exchanges: Exchange[] = [];
  #script: Script;
  #requests = 0;
  #late = false;
  #family = common.family;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeLanguageModelChatInformation = this.#changed.event;

  readonly #models: readonly vscode.LanguageModelChatInformation[];

  /**
   * @param script answers until another is given
   * @param models those that are there from the start
   */
  constructor(script: Script, models: readonly vscode.LanguageModelChatInformation[] = [one]) {
    this.#script = script;
    this.#models = models;
  }

  /** Lets a script answer every request from now on. */
  use(script: Script): void {
    this.#script = script;
  }

  /** Shows or hides the second model; without a value, the other of the two. */
  showLate(shown = !this.#late): void {
    this.#late = shown;
    this.#changed.fire();
  }

  /** Gives the second model a family, by which VS Code's agent chooses its prompt, and shows it. */
  showFamily(family: string): void {
    this.#family = family;
    this.showLate(true);
  }

  provideLanguageModelChatInformation(): vscode.LanguageModelChatInformation[] {
    return this.#late ? [...this.#models, { ...late, family: this.#family }] : [...this.#models];
  }

  async provideLanguageModelChatResponse(
    model: vscode.LanguageModelChatInformation,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const request = record(++this.#requests, model.id, messages, options);
    const exchange: Exchange = { request, steps: [], outcome: "running" };
    this.exchanges.push(exchange);
    const controller = new AbortController();
    const cancelling = token.onCancellationRequested(() => controller.abort());
    try {
      for await (const step of this.#script(request, controller.signal)) {
        exchange.steps.push(step);
        progress.report(responsePart(step, `call-${request.number}-${exchange.steps.length}`));
      }
      exchange.outcome = controller.signal.aborted ? "cancelled" : "answered";
    } catch (err) {
      exchange.outcome = controller.signal.aborted ? "cancelled" : "failed";
      throw err;
    } finally {
      cancelling.dispose();
    }
  }

  /** An estimate, as VS Code asks it thousands of times for a request. */
  provideTokenCount(
    _model: vscode.LanguageModelChatInformation,
    text: string | vscode.LanguageModelChatRequestMessage,
  ): Promise<number> {
    return Promise.resolve(Math.ceil((typeof text === "string" ? text : JSON.stringify(text)).length / 4));
  }
}

/** LanguageModelThinkingPart is there when VS Code runs, but not in its stable types. */
type ThinkingPart = new (text: string) => vscode.LanguageModelTextPart;

/** Makes the part of an answer that a step stands for. */
function responsePart(step: Step, callId: string): vscode.LanguageModelResponsePart {
  switch (step.kind) {
    case "text":
      return new vscode.LanguageModelTextPart(step.text);
    case "thinking": {
      const Part = (vscode as unknown as { LanguageModelThinkingPart: ThinkingPart }).LanguageModelThinkingPart;
      return new Part(step.text);
    }
    case "call":
      return new vscode.LanguageModelToolCallPart(step.callId ?? callId, step.name, step.input);
    case "data":
      return new vscode.LanguageModelDataPart(Buffer.from(step.base64, "base64"), step.mimeType);
    case "error":
      throw step.code === undefined ? new Error(step.message) : vscode.LanguageModelError[step.code](step.message);
  }
}
