import type { DemoEvent } from "./events";

/** Says what the demo waits for: once when it begins to wait for servers, and what is left of them at the deadline. */
export class Waiting {
  readonly #say: (line: string) => void;
  #servers: readonly string[] | undefined;

  /** @param say takes a line for the person who waits */
  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Takes what has happened. */
  note(event: DemoEvent): void {
    if (event.kind === "catalog") this.#servers = [];
    if (event.kind !== "waiting") return;
    const begins = (this.#servers ?? []).length === 0 && event.servers.length > 0;
    this.#servers = event.servers;
    if (begins) this.#say(this.text);
  }

  /** What is waited for now. */
  get text(): string {
    if (this.#servers === undefined) return "waiting for winnowd";
    if (this.#servers.length === 0) return "waiting for an answer of winnowd's";
    return `waiting for MCP servers to start: ${this.#servers.join(", ")}`;
  }
}
