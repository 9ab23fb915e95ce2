// An MCP server over stdio whose tools are what the file it is started with says,
// told anew when the file changes. A call answers with its arguments; `_tool_gating`
// does with the message as it says: "claim NAME" or "exclude NAME". Where the file says
// that it has `resources`, it has them and their `templates`, and no tools; what it was
// asked for is added to FILE.asked, a method a line.
import { appendFileSync, readFileSync, watch } from "node:fs";
import { createInterface } from "node:readline";

const file = process.argv[2] ?? "";

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** @typedef {{ protocolVersion?: string, name?: string, uri?: string, arguments?: { message?: string } }} Params */

/** @param {Params} params */
const called = ({ name, arguments: given = {} }) => {
  if (name !== "_tool_gating") return given;
  const [, action, tool] = /\b(claim|exclude) (\w+)/.exec(given.message ?? "") ?? [];
  return { verdicts: action === undefined ? [] : [{ tool, action }] };
};

/** @typedef {{ uri: string }} Resource */

/**
 * What the file says now.
 *
 * @returns {object[] | { resources: Resource[], templates: object[] }}
 */
function says() {
  /** @type {object[] | { resources: Resource[], templates: object[] }} */
  const said = JSON.parse(readFileSync(file, "utf8"));
  return said;
}

const now = says();
const offers = Array.isArray(now) ? undefined : now;

/** @type {Record<string, (params: Params) => unknown>} */
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: offers === undefined ? { tools: { listChanged: true } } : { resources: {} },
    serverInfo: { name: "changing", version: "1.0.0" },
  }),
  "tools/call": (params) => ({ content: [{ type: "text", text: JSON.stringify(called(params)) }] }),
  ping: () => ({}),
  ...(offers === undefined && { "tools/list": () => ({ tools: says() }) }),
  ...(offers !== undefined && {
    "resources/list": () => ({ resources: offers.resources }),
    "resources/templates/list": () => ({ resourceTemplates: offers.templates }),
    "resources/read": ({ uri = "" }) => ({ contents: [{ uri, text: `what ${uri} holds` }] }),
  }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const {
    id,
    method,
    params = {},
  } = /** @type {{ id?: number, method: string, params?: Params }} */ (JSON.parse(line));
  if (id === undefined) return;
  if (offers !== undefined) appendFileSync(`${file}.asked`, `${method}\n`);
  const answer = answers[method];
  if (answer === undefined) send({ id, error: { code: -32601, message: `no ${method} here` } });
  else send({ id, result: answer(params) });
});
process.stdin.on("close", () => process.exit());
watch(file, () => send({ method: "notifications/tools/list_changed" }));
