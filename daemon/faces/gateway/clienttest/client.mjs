// Drives the gateway with the TypeScript SDK's client, and prints what it saw
// as one line of JSON. Usage: node client.mjs <url> <token>
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [url, token] = process.argv.slice(2);

async function connect(name) {
  const client = new Client({ name, version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    }),
  );
  return client;
}

const names = async (client) => (await client.listTools()).tools.map((tool) => tool.name);
const seen = {};

const client = await connect("typescript-sdk");
const changed = new Promise((resolve) => {
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve(true));
});
seen.before = await names(client);
await client.callTool({ name: "mcp_load", arguments: { names: ["echo", "count", "sleep"] } });
seen.changed = await changed;
seen.after = await names(client);
seen.echo = (await client.callTool({ name: "echo", arguments: { text: "hi" } })).content[0].text;

seen.progress = [];
await client.callTool({ name: "count", arguments: { steps: 3 } }, undefined, {
  onprogress: (p) => seen.progress.push(p.progress),
});

const abort = new AbortController();
setTimeout(() => abort.abort(), 200);
seen.cancelled = await client
  .callTool({ name: "sleep", arguments: { ms: 600000 } }, undefined, { signal: abort.signal })
  .then(
    () => false,
    () => true,
  );

const other = await connect("another");
seen.other = await names(other);
const stranger = new Client({ name: "stranger", version: "1" });
seen.refused = await stranger.connect(new StreamableHTTPClientTransport(new URL(url))).then(
  () => false,
  () => true,
);
await other.close();
await client.close();
console.log(JSON.stringify(seen));
