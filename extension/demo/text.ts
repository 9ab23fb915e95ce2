import { styleText } from "node:util";
import type { AttachedTokens, ScorePart } from "../src/protocol/protocol.gen";
import type { AttachedRow, DemoEvent } from "./events";

/** How the text is laid out. */
export interface Layout {
  /** Use the terminal's colours. */
  colour: boolean;
  /** The width of the terminal, in characters. */
  columns: number;
}

/** Decides the layout by the terminal and the user's environment. */
export function layoutFor(stream: { isTTY?: boolean; columns?: number }, env: NodeJS.ProcessEnv): Layout {
  const forced = env["FORCE_COLOR"];
  const colour = forced === undefined ? stream.isTTY === true && !env["NO_COLOR"] : forced !== "0";
  return { colour, columns: stream.columns ?? 120 };
}

/** Renders one event for a person to read; it ends with a new line. */
export function render(event: DemoEvent, layout: Layout): string {
  const paint: Paint = (format, text) => (layout.colour ? styleText(format, text, { validateStream: false }) : text);
  switch (event.kind) {
    case "daemon":
      return `${paint("bold", `${event.name} ${event.version}`)} answered in ${milliseconds(event.startMs)}; workspace ${event.workspace}\n${heading("Servers", paint)}`;
    case "waiting":
      return ""; // said beside the output: see Waiting
    case "server": {
      const { name, tools, tokens, startMs } = event.server;
      const took = startMs === undefined ? "" : milliseconds(startMs);
      return `  ${paint("green", "✓")} ${name.padEnd(22)}${`${number(tools)} tools`.padStart(10)}${`${number(tokens)} tokens`.padStart(15)}${took.padStart(10)}\n`;
    }
    case "catalog":
      return `  ${number(event.servers)} servers, ${number(event.tools)} tools, ${number(event.tokens)} tokens\n`;
    case "turn":
      return `${heading(`Turn ${event.turn}: “${event.message}”`, paint)}${table(event.rows, layout, paint)}${share(event, paint)}`;
    case "load": {
      const names = event.loaded.map(
        ({ server, tool, already }) =>
          `  ${already ? "=" : "+"} ${server}/${tool}${already ? " (was attached)" : ""}\n`,
      );
      return `${heading(`mcp_load: “${event.query}”`, paint)}${names.join("")}${share(event, paint)}`;
    }
    case "call":
      return `${heading(`Call ${event.server}/${event.tool} ${JSON.stringify(event.arguments)}`, paint)}${quote(event.text, paint)}  answered in ${milliseconds(event.ms)}\n`;
  }
}

/** Colours a text, or leaves it as it is. */
type Paint = (format: "bold" | "green" | "cyan" | "dim", text: string) => string;

function heading(text: string, paint: Paint): string {
  return `\n${paint("bold", text)}\n`;
}

/** The columns of a table of tools besides the two that share the rest. */
const fixedWidth = 2 + 5 + 8 + 2 + 2 + 8;

function table(rows: AttachedRow[], { columns }: Layout, paint: Paint): string {
  if (rows.length === 0) return "  nothing new\n";
  const nameWidth = Math.max(4, ...rows.map((row) => toolName(row).length));
  const whyWidth = Math.max(12, columns - nameWidth - fixedWidth);
  const line = (rank: string, score: string, name: string, why: string, tokens: string) =>
    `  ${rank.padStart(5)}${score.padStart(8)}  ${name.padEnd(nameWidth)}  ${clip(why, whyWidth).padEnd(whyWidth)}${tokens.padStart(8)}\n`;
  const body = rows
    .toSorted(byRank)
    .map((row) =>
      line(
        row.rank > 0 ? number(row.rank) : "–",
        row.rank > 0 ? row.score.toFixed(2) : "–",
        toolName(row),
        whyText(row),
        number(row.tokens),
      ),
    );
  return paint("dim", line("rank", "score", "tool", "why", "tokens")) + body.join("");
}

function toolName({ server, tool }: AttachedRow): string {
  return `${server}/${tool}`;
}

/** The best first, and then what did not match, in the order of the attachment. */
function byRank(a: AttachedRow, b: AttachedRow): number {
  return (a.rank || Infinity) - (b.rank || Infinity) || 0;
}

/** What raised a tool's score, the strongest part first, or why else it is there. */
function whyText({ reason, why }: AttachedRow): string {
  const parts = why.toSorted((a, b) => b.value - a.value).map(partText);
  return reason === "ranked" ? parts.join("; ") : [reason, ...parts].join("; ");
}

function partText({ name, detail }: ScorePart): string {
  return detail === "" ? name : `${name}: ${detail}`;
}

function share(
  { counts, tokens }: { counts: { attached: number; scoped: number }; tokens: AttachedTokens },
  paint: Paint,
): string {
  const saved = tokens.all === 0 ? 0 : Math.round((100 * tokens.saved) / tokens.all);
  return `  ${number(counts.attached)} of ${number(counts.scoped)} tools attached: ${number(tokens.attached)} of ${number(tokens.all)} tokens, ${paint("green", `${number(saved)} % saved`)}\n`;
}

function quote(text: string, paint: Paint): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${paint("cyan", "│")} ${line}\n`)
    .join("");
}

function clip(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

function milliseconds(ms: number): string {
  return `${number(Math.round(ms))} ms`;
}

function number(n: number): string {
  return n.toLocaleString("en-US");
}
