// Finds the MCP server of each of the host's tools. VS Code makes a tool's name
// of its server's title and cuts it, so that the two can't be told apart again;
// its label is read from what VS Code says of the tool, or matched.

import type { ServerInfo } from "../protocol/protocol.gen";
import type { Tool } from "./message";

/** A tool as VS Code lists it, in `lm.tools`. */
export interface ListedTool extends Tool {
  tags: readonly string[];
  /**
   * Server and tool, as in `github/create_issue`. VS Code tells it to every extension, but its stable API does not
   * promise it.
   */
  fullReferenceName?: string | undefined;
}

/** Where a tool comes from. */
export interface Origin {
  /** The server's label, or unknownServer. */
  server: string;
  /** The tool's own name on its server; absent where it is not known. */
  tool?: string;
}

/** Stands for the server of a tool that no known server claims. */
export const unknownServer = "unknown server";

/** The name of Winnow's own gateway among VS Code's servers. */
export const gatewayLabel = "Winnow Gateway";

/** The tag of MCP's tools in `lm.tools`. */
export const mcpTag = "mcp";

/** The most characters of the part of a tool's name that stands for its server, `mcp_` and the last `_` included. */
const maxPrefix = 18;

/**
 * Whether any of the daemon's servers has tools. Which of them a request may
 * have, the mode that it is in decides, and not the current one.
 */
export function anyTools(servers: readonly Pick<ServerInfo, "tools">[]): boolean {
  return servers.some(({ tools }) => tools > 0);
}

/** The host's list of tools, indexed. */
export class Listing {
  readonly #byName: ReadonlyMap<string, ListedTool>;
  /** Known labels by what VS Code makes of them in names. */
  readonly #labels = new Map<string, string>();
  readonly #prefixes: [prefix: string, label: string][] = [];

  /**
   * @param tools `lm.tools`
   * @param labels the names of the servers that are known
   */
  constructor(tools: readonly ListedTool[], labels: readonly string[]) {
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    for (const label of new Set([...labels, gatewayLabel])) {
      this.#labels.set(referenceName(label), label);
      this.#prefixes.push([prefixOf(label), label]);
    }
    this.#prefixes.sort(([a], [b]) => b.length - a.length);
  }

  /** The tool of a name; undefined when VS Code lists none. */
  get(name: string): ListedTool | undefined {
    return this.#byName.get(name);
  }

  /** All of MCP's tools, but for those of the gateway. */
  mcpTools(): ListedTool[] {
    return [...this.#byName.values()].filter(({ name }) => this.isMcp(name));
  }

  /** Tells whether a tool is MCP's, and not one of the gateway, which routes by itself. */
  isMcp(name: string): boolean {
    const tool = this.#byName.get(name);
    if (tool === undefined) return name.startsWith("mcp_");
    return tool.tags.includes(mcpTag) && !this.isGateway(name);
  }

  /** Tells whether a tool is one of Winnow's own gateway. */
  isGateway(name: string): boolean {
    return this.#byReference(name)?.server === gatewayLabel;
  }

  /** Finds the server of one of MCP's tools. */
  originOf(name: string): Origin {
    return this.#byReference(name) ?? this.#byPrefix(name) ?? { server: unknownServer };
  }

  #byReference(name: string): Origin | undefined {
    const reference = this.#byName.get(name)?.fullReferenceName;
    // A label may hold a slash of its own, a tool's name hardly ever.
    const slash = reference?.lastIndexOf("/") ?? -1;
    if (reference === undefined || slash <= 0) return undefined;
    const label = reference.slice(0, slash);
    return { server: this.#labels.get(label) ?? label, tool: reference.slice(slash + 1) };
  }

  /** A name whose beginning is made of one known label, and of no other. */
  #byPrefix(name: string): Origin | undefined {
    const found = this.#prefixes.filter(([prefix]) => name.startsWith(prefix));
    const [longest, next] = found;
    if (longest === undefined || longest[0] === next?.[0]) return undefined;
    return { server: longest[1] };
  }
}

/** What VS Code makes of a server's label where a person refers to it. */
function referenceName(label: string): string {
  return label.toLowerCase().replace(/\s+/g, "-");
}

/** What VS Code makes of a server's title at the beginning of its tools' names. */
function prefixOf(label: string): string {
  const legal = `mcp_${label.toLowerCase().replace(/[^a-z0-9_.-]+/g, "_")}`.slice(0, maxPrefix - 1);
  return `${legal.replaceAll(".", "_")}_`;
}
