// The script of npm start: a model that does something with each message, so
// that one sees the tools at work without an account.
import { type ModelRequest, type ModelTool, type Step, call, results, say, userWords } from "./script";

/** The tool by which the model asks Winnow for more. */
const load = "mcp_load";

/**
 * Calls the tool that the user's words name best; when none fits and there may
 * be more, asks for them once; then tells what it did.
 */
export function* demo(request: ModelRequest): Iterable<Step> {
  const words = userWords(request);
  const done = results(request);
  const last = done.at(-1);
  if (last !== undefined && last.name !== load) {
    yield say(`I called \`${last.name}\`. It answered:\n\n${quoted(last.text)}\n`);
    return;
  }
  const best = bestTool(words, request.tools);
  if (best !== undefined) {
    yield say(`I will use \`${best.name}\`.\n\n`);
    yield call(best.name, argumentsFor(best, words));
    return;
  }
  if (last === undefined && request.tools.some((tool) => tool.name === load)) {
    yield call(load, { query: words });
    return;
  }
  const count = request.tools.length;
  yield say(
    `I am the demo's scripted model and have ${count} tools, but found none for “${words}”. Name a tool, or try: read the note notes/garden.md`,
  );
}

/** VS Code's own tools, of which @winnow offers some. */
const hostsOwn = /^copilot_|_subagent$/;

/** MCP's tools: VS Code marks them by their names; those that @winnow offers have the names of their servers. */
function mcpTools(tools: ModelTool[]): ModelTool[] {
  const marked = tools.filter(({ name }) => name.startsWith("mcp_") && name !== load);
  return marked.length > 0 ? marked : tools.filter(({ name }) => name !== load && !hostsOwn.test(name));
}

/** The MCP tool that shares most words with the message, two at least. */
function bestTool(message: string, tools: ModelTool[]): ModelTool | undefined {
  const words = wordsOf(message);
  let best: ModelTool | undefined;
  let most = 1;
  for (const tool of mcpTools(tools)) {
    // The name counts twice: it says most with the fewest words.
    const shared = overlap(words, wordsOf(tool.name)) * 2 + overlap(words, wordsOf(tool.description.slice(0, 200)));
    if (shared > most && fillable(tool)) {
      most = shared;
      best = tool;
    }
  }
  return best;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[a-z]{3,}/g));
}

function overlap(a: Set<string>, b: Set<string>): number {
  return [...a].filter((word) => b.has(word)).length;
}

/** The part of a tool's schema that we look at. */
interface Schema {
  properties?: Record<string, { type?: string; enum?: unknown[] }>;
  required?: string[];
}

/** Whether we can make up its required arguments. */
function fillable(tool: ModelTool): boolean {
  const { properties = {}, required = [] } = (tool.inputSchema ?? {}) as Schema;
  return required.every((name) => ["string", "number", "integer", "boolean"].includes(properties[name]?.type ?? ""));
}

/** Arguments made of the user's words: a file's name where a path is wanted, the words themselves for other texts. */
function argumentsFor(tool: ModelTool, words: string): Record<string, unknown> {
  const { properties = {}, required = [] } = (tool.inputSchema ?? {}) as Schema;
  const file = /[\w./-]+\.\w+/.exec(words)?.[0] ?? ".";
  return Object.fromEntries(
    required.map((name) => {
      const { type, enum: values } = properties[name] ?? {};
      if (values?.[0] !== undefined) return [name, values[0]];
      if (type === "boolean") return [name, false];
      if (type === "number" || type === "integer") return [name, Number(/\d+/.exec(words)?.[0] ?? 1)];
      return [name, /path|file/i.test(name) ? file : words];
    }),
  );
}

/** Marks a text as quoted, cut to what a chat shows well. */
function quoted(text: string): string {
  const cut = text.length > 1500 ? `${text.slice(0, 1500)} …` : text;
  return cut.replace(/^/gm, "> ");
}
