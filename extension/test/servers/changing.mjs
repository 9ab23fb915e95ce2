// An MCP server over stdio whose tools are what the file it is started with says,
// told anew when the file changes. A call answers with its arguments; `_tool_gating`
// does with the message as it says: "claim NAME" or "exclude NAME".
import { readFileSync, watch } from "node:fs";
import { createInterface } from "node:readline";

const file = process.argv[2] ?? "";

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** @typedef {{ protocolVersion?: string, name?: string, arguments?: { message?: string } }} Params */

/** @param {Params} params */
const called = ({ name, arguments: given = {} }) => {
  if (name !== "_tool_gating") return given;
  const [, action, tool] = /\b(claim|exclude) (\w+)/.exec(given.message ?? "") ?? [];
  return { verdicts: action === undefined ? [] : [{ tool, action }] };
};

/** @type {Record<string, (params: Params) => unknown>} */
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "changing", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: /** @type {unknown} */ (JSON.parse(readFileSync(file, "utf8"))) }),
  "tools/call": (params) => ({ content: [{ type: "text", text: JSON.stringify(called(params)) }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const {
    id,
    method,
    params = {},
  } = /** @type {{ id?: number, method: string, params?: Params }} */ (JSON.parse(line));
  if (id === undefined) return;
  const answer = answers[method];
  if (answer === undefined) send({ id, error: { code: -32601, message: `no ${method} here` } });
  else send({ id, result: answer(params) });
});
process.stdin.on("close", () => process.exit());
watch(file, () => send({ method: "notifications/tools/list_changed" }));
