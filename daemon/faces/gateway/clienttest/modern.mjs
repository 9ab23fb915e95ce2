// Drives the gateway with the newest TypeScript SDK's client, which speaks the
// revision of MCP without sessions, and prints what it saw as one line of JSON.
// Usage: node modern.mjs <sdk> <url> <token>, or node modern.mjs <sdk> <command> mcp <args…>
// <sdk> is the folder of the SDK's package.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [sdk, first, second, ...args] = process.argv.slice(2);
const part = (name) => import(pathToFileURL(join(sdk, "dist", name)));
const { Client, StreamableHTTPClientTransport } = await part("index.mjs");
const { StdioClientTransport } = await part("stdio.mjs");

function transport() {
  if (second === "mcp") return new StdioClientTransport({ command: first, args: [second, ...args], stderr: "ignore" });
  const requestInit = { headers: { Authorization: `Bearer ${second}` } };
  return new StreamableHTTPClientTransport(new URL(first), { requestInit });
}

const seen = { asked: [] };
const client = new Client(
  { name: "typescript-sdk", version: "2" },
  { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
);
client.setRequestHandler("elicitation/create", (r) => {
  seen.asked.push(r.params.message.split("\n")[0]);
  return { action: "accept", content: {} };
});
await client.connect(transport());
seen.version = client.getNegotiatedProtocolVersion();

const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
const call = async (name, args, options) => (await client.callTool({ name, arguments: args }, options)).content[0].text;

seen.list = await names();
const subscription = await client.listen({ toolsListChanged: true });
seen.found = (await call("mcp_search", { query: "select:echo" })).includes("echo(text");
seen.echo = await call("mcp_call", { name: "echo", arguments: { text: "hi" } });
seen.progress = [];
await call("count", { steps: 3 }, { onprogress: (p) => seen.progress.push(p.progress) });

const abort = new AbortController();
setTimeout(() => abort.abort(), 200);
seen.cancelled = await call("sleep", { ms: 600000 }, { signal: abort.signal }).then(
  () => false,
  () => true,
);
seen.after = await names();
await subscription.close();
await client.close();
console.log(JSON.stringify(seen));
