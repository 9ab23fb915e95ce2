// A model's provider that answers from a script, in every format that the
// agents speak, and keeps what it was asked.
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Answer, type Asked, type Wire, chat, gemini, messages, responses } from "./wires";

const wires: Wire[] = [chat, responses, gemini, messages];

/** What the model answers to a request that offers tools. Any other, such as one for a title, gets a word. */
export type Script = (asked: Asked) => Answer | Promise<Answer>;

/** Serves a script on loopback. */
export class Provider {
  /** The requests that offer tools, in order. */
  readonly asked: Asked[] = [];
  script: Script = () => ({ say: "done" });
  readonly #server: Server;
  #arrived = (): void => undefined;

  private constructor() {
    this.#server = createServer((message, response) => {
      this.#answer(message, response).catch((err: unknown) => response.destroy(err as Error));
    });
  }

  /** Starts a provider on a free port. */
  static async start(): Promise<Provider> {
    const made = new Provider();
    await new Promise<void>((resolve) => made.#server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  /** The addresses, as a client of each vendor's formats is given them. */
  get model(): { openai: string; gemini: string; anthropic: string } {
    const url = `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
    return { openai: `${url}/openai/v1`, gemini: `${url}/gemini`, anthropic: url };
  }

  /** Resolves when there have been so many requests. */
  async until(requests: number): Promise<void> {
    while (this.asked.length < requests) await new Promise<void>((resolve) => (this.#arrived = resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (message.url ?? "").split("?")[0] ?? "";
    const body = await text(message);
    const wire = wires.find((wire) => wire.matches(path));
    if (wire === undefined || body === "") {
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"no such path"}}');
      return;
    }
    const gone = new Promise<void>((resolve) => response.once("close", resolve));
    const asked = { number: this.asked.length + 1, path, body, gone, ...understand(wire, body) };
    if (asked.tools.length === 0) {
      write(response, wire, { say: "a title" }, "c0");
      return;
    }
    this.asked.push(asked);
    write(response, wire, await this.script(asked), `c${String(asked.number)}`);
    this.#arrived();
  }
}

/** What a body says, with the results of the calls since the user's last words. */
function understand(wire: Wire, body: string): Pick<Asked, "tools" | "words" | "results"> {
  const { tools, turns } = wire.read(JSON.parse(body));
  const names = new Map<string, string>();
  let words = "";
  let results: Asked["results"] = [];
  for (const turn of turns) {
    if (turn.user !== undefined) {
      words = turn.user;
      results = [];
    }
    for (const call of turn.calls ?? []) names.set(call.id, call.name);
    for (const { id, text } of turn.results ?? []) results.push({ name: names.get(id) ?? id, text });
  }
  return { tools, words, results };
}

function write(response: ServerResponse, wire: Wire, answer: Answer, id: string): void {
  if ("fail" in answer) {
    response.writeHead(answer.fail, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: answer.message, code: answer.fail, type: "invalid_request" } }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  if ("call" in answer) {
    response.end(wire.call(id, answer.call, answer.input).join(""));
  } else if ("stall" in answer) {
    response.write(wire.say(answer.stall, true).join(""));
  } else {
    response.end(wire.say(answer.say, false).join(""));
  }
}
