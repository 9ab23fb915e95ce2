// The provider of the twins.

import * as vscode from "vscode";
import type { Catalogue } from "./catalogue";
import { cleanError } from "../chat/errors";
import type { Message, Tool } from "../chat/message";
import type { ChatRequest, Routing } from "../routing/request";
import { respond } from "../routing/respond";
import { messageTokens, textTokens } from "../chat/tokens";
import { type Twin, maxToolsOf } from "./twins";
import { readMessage, readMessages, readPart, writeMessages, writePart, writeTools } from "../chat/vscodeparts";

/** The options of a request, with some outside the stable API. */
interface HostOptions extends vscode.ProvideLanguageModelChatResponseOptions {
  /** The requesting extension. */
  requestInitiator?: string;
}

/** Winnow's own id, if @winnow makes a request with a twin selected. */
const winnow = "winnow-mcp.winnow";

/** Provides the twins and handles requests to them. */
export class TwinProvider implements vscode.LanguageModelChatProvider<Twin> {
  readonly #catalogue: Catalogue;
  readonly #routing: Routing;
  readonly #used: (model: vscode.LanguageModelChat) => void;
  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;

  /** @param used called with each model before a request is forwarded to it */
  constructor(catalogue: Catalogue, routing: Routing, used: (model: vscode.LanguageModelChat) => void) {
    this.#catalogue = catalogue;
    this.#routing = routing;
    this.#used = used;
    this.onDidChangeLanguageModelChatInformation = catalogue.onDidChange;
  }

  provideLanguageModelChatInformation(): Twin[] {
    return [...this.#catalogue.twins];
  }

  async provideLanguageModelChatResponse(
    twin: Twin,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: HostOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const model = this.#catalogue.model(twin.id);
    if (model === undefined) throw vscode.LanguageModelError.NotFound(`${twin.name} is gone; pick another model`);
    this.#used(model);
    try {
      await respond(this.#routing, chatRequest(model, readMessages(messages), options, token), {
        send: (rewritten, tools) => send(model, rewritten, tools, options, token),
        report: (part) => progress.report(writePart(part) as vscode.LanguageModelResponsePart),
      });
    } catch (err) {
      throw errorOf(err);
    }
  }

  provideTokenCount(_twin: Twin, text: string | vscode.LanguageModelChatRequestMessage): Promise<number> {
    return Promise.resolve(typeof text === "string" ? textTokens(text) : messageTokens(readMessage(text)));
  }
}

function chatRequest(
  model: vscode.LanguageModelChat,
  messages: Message[],
  options: HostOptions,
  token: vscode.CancellationToken,
): ChatRequest {
  const conversation: unknown = options.modelOptions?.["_conversationId"];
  const initiator = options.requestInitiator?.toLowerCase() ?? "unknown";
  return {
    model: { name: model.name, maxInputTokens: model.maxInputTokens, maxTools: maxToolsOf(model) },
    messages,
    tools: options.tools ?? [],
    conversation: typeof conversation === "string" && conversation !== "" ? conversation : undefined,
    initiator,
    fromWinnow: initiator === winnow,
    token,
  };
}

/** Sends a request to the model behind the twin. */
async function send(
  model: vscode.LanguageModelChat,
  messages: readonly Message[],
  tools: readonly Tool[],
  options: HostOptions,
  token: vscode.CancellationToken,
) {
  const { modelOptions, toolMode } = options;
  const response = await model.sendRequest(
    writeMessages(messages),
    {
      ...(modelOptions !== undefined && { modelOptions: { ...modelOptions } }),
      tools: writeTools(tools),
      toolMode,
      justification: "You picked the routed model of this one; Winnow forwards your chat to it.",
    },
    token,
  );
  return parts(response.stream);
}

async function* parts(stream: AsyncIterable<unknown>) {
  for await (const part of stream) yield readPart(part);
}

/** Returns an error without a stack, which VS Code would print in the chat. */
function errorOf(err: unknown): Error {
  const { code, message } = cleanError(err);
  const clean = code === undefined ? new Error(message) : vscode.LanguageModelError[code](message);
  clean.stack = "";
  return clean;
}
