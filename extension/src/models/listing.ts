// The host's tools with their servers, kept until VS Code or the daemon has
// other ones.

import * as vscode from "vscode";
import { CatalogDidChange, CatalogList } from "../protocol.gen";
import type { Winnow } from "../winnow";
import { Listing } from "./servers";

/** Knows the host's tools and the names of the servers that the daemon knows. */
export class Listings {
  readonly #winnow: Winnow;
  #labels: string[] = [];
  #listing: { tools: readonly vscode.LanguageModelToolInformation[]; labels: string[]; listing: Listing } | undefined;

  constructor(winnow: Winnow) {
    this.#winnow = winnow;
    winnow.own(
      winnow.daemon.onNotification(CatalogDidChange, ({ source }) => {
        if (source === "") void this.#learn();
      }),
    );
    void this.#learn();
  }

  /** The host's tools as they are now. */
  get(): Listing {
    const { tools } = vscode.lm;
    const known = this.#listing;
    if (known?.labels === this.#labels && sameTools(known.tools, tools)) return known.listing;
    const listing = new Listing(tools, this.#labels);
    this.#listing = { tools: [...tools], labels: this.#labels, listing };
    return listing;
  }

  async #learn(): Promise<void> {
    try {
      const { servers } = await this.#winnow.daemon.request(CatalogList, { serversOnly: true });
      this.#labels = servers.map((server) => server.name);
    } catch (err) {
      this.#winnow.log.debug(`the daemon's servers are not known: ${String(err)}`);
    }
  }
}

/** VS Code lists a tool as the same object as long as nothing of it changes. */
function sameTools(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((tool, i) => tool === b[i]);
}
