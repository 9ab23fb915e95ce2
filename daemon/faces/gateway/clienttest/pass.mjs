// Drives the gateway with the TypeScript SDK's client as one that can be asked
// for all that MCP knows, and prints what came of it as one line of JSON.
// Usage: node pass.mjs <url> <token>, or node pass.mjs <command> mcp <args…>
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [first, second, ...args] = process.argv.slice(2);

function transport() {
  if (second === "mcp") return new StdioClientTransport({ command: first, args: [second, ...args], stderr: "ignore" });
  const requestInit = { headers: { Authorization: `Bearer ${second}` } };
  return new StreamableHTTPClientTransport(new URL(first), { requestInit });
}

const seen = { asked: [] };
const client = new Client(
  { name: "typescript-sdk", version: "1" },
  { capabilities: { sampling: {}, elicitation: {}, roots: {} } },
);
client.setRequestHandler(CreateMessageRequestSchema, () => {
  seen.asked.push("sampling");
  return { role: "assistant", model: "mine", content: { type: "text", text: "forty-two" } };
});
client.setRequestHandler(ElicitRequestSchema, (r) => {
  seen.asked.push(r.params.message);
  return { action: "accept", content: { name: "Ada", integer: 7 } };
});
client.setRequestHandler(ListRootsRequestSchema, () => {
  seen.asked.push("roots");
  return { roots: [{ uri: "file:///of/mine", name: "mine" }] };
});
await client.connect(transport());

const call = async (name, args = {}) => (await client.callTool({ name, arguments: args })).content.map((c) => c.text).join("\n");

seen.sampled = (await call("trigger-sampling-request", { prompt: "what is it?" })).includes("forty-two");
seen.elicited = (await call("trigger-elicitation-request")).includes("Favorite Integer: 7");
seen.roots = (await call("get-roots-list")).includes("file:///of/mine");

const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: resources[0].uri });
seen.resource = contents[0].uri === resources[0].uri && contents[0].text.length > 0;
const { prompts } = await client.listPrompts();
const prompt = prompts.find((p) => p.name.endsWith("__simple-prompt"));
seen.prompt = (await client.getPrompt({ name: prompt.name })).messages.length > 0;

await client.close();
console.log(JSON.stringify(seen));
