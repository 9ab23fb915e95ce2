import { parseArgs } from "node:util";
import { DemoError } from "./errors";

/** What the user asked the demo to do. */
export interface Options {
  /** The task's first message. */
  message: string;
  /** The message of the second turn. */
  then: string;
  /** What `mcp_load` is asked for. */
  load: string;
  /** The note that the real call reads, by file name. */
  read: string;
  /** Print one JSON document for programs. */
  json: boolean;
  /** Print the help and do nothing. */
  help: boolean;
}

/** What `npm start -- --help` prints. */
export const help = `Usage: npm start -- [options] [words of the task]

Starts winnowd and real MCP servers in a temporary folder, routes a task of more
than a hundred tools and calls one that it attached, and adds tools in a second
turn and by mcp_load.

  npm start -- "read the notes folder and summarise it"

Options:
  --then TEXT    message of the second turn
  --load TEXT    what mcp_load is asked for
  --read NOTE    the note that the real call reads: espresso.md, bicycle.md, garden.md
  --json         print one JSON document for programs
  --no-editor    stay in the terminal; else the demo ends by opening its folder in VS Code
  --help         print this
`;

/**
 * Reads the command line.
 *
 * @throws DemoError for an option that does not exist.
 */
export function parseOptions(args: string[]): Options {
  const { values, positionals } = parse(args);
  return {
    message: positionals.join(" ") || "read the notes folder and summarise it",
    then: values.then ?? "now open the page in the browser and take a screenshot of it",
    load: values.load ?? "knowledge graph: create entities and relations",
    read: values.read ?? "espresso.md",
    json: values.json ?? false,
    help: values.help ?? false,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        then: { type: "string" },
        load: { type: "string" },
        read: { type: "string" },
        json: { type: "boolean" },
        "no-editor": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (err) {
    throw new DemoError(`${err instanceof Error ? err.message : String(err)} (see: npm start -- --help)`);
  }
}
