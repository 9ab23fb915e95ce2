import type { DemoEvent } from "./events";

/** The one document that `--json` prints: what happened, in order, and whether all went well. */
export interface DemoDocument {
  ok: boolean;
  /** Why it failed; absent when it did not. */
  error?: string;
  events: DemoEvent[];
}

/** Renders the document; it ends with a new line. */
export function renderDocument(events: DemoEvent[], error?: string): string {
  const document: DemoDocument = error === undefined ? { ok: true, events } : { ok: false, error, events };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
