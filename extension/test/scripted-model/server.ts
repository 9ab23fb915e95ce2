// A script that runs in another process: the test's side, for tests that are
// not in the extension host. The model extension finds it by the environment
// variable WINNOW_SCRIPT_URL.
import { type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Exchange, ModelRequest, Script } from "./script";

/** Serves a script on loopback and keeps what the model was asked. */
export class ScriptServer {
  /** Every request so far, in order. */
  readonly exchanges: Exchange[] = [];
  #script: Script;
  readonly #server: Server;

  private constructor(script: Script) {
    this.#script = script;
    this.#server = createServer((message, response) => {
      text(message)
        .then((body) => this.#answer(JSON.parse(body) as ModelRequest, response))
        .catch((err: unknown) => response.destroy(err as Error));
    });
  }

  /** Starts a server on a free port. */
  static async start(script: Script): Promise<ScriptServer> {
    const made = new ScriptServer(script);
    await new Promise<void>((resolve) => made.#server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  /** What WINNOW_SCRIPT_URL must say. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Lets a script answer every request from now on. */
  use(script: Script): void {
    this.#script = script;
  }

  /** Ends what is in flight and stops. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: ModelRequest, response: ServerResponse): Promise<void> {
    const exchange: Exchange = { request, steps: [], outcome: "running" };
    this.exchanges.push(exchange);
    const controller = new AbortController();
    response.on("close", () => controller.abort());
    response.flushHeaders();
    try {
      for await (const step of this.#script(request, controller.signal)) {
        exchange.steps.push(step);
        response.write(`${JSON.stringify(step)}\n`);
      }
      exchange.outcome = controller.signal.aborted ? "cancelled" : "answered";
    } catch (err) {
      exchange.outcome = controller.signal.aborted ? "cancelled" : "failed";
      const message = err instanceof Error ? err.message : String(err);
      response.write(`${JSON.stringify({ kind: "error", message })}\n`);
    }
    response.end();
  }
}
