import assert from "node:assert/strict";
import test from "node:test";
import type { ServerInfo } from "../../protocol.gen";
import { filesToAsk, question } from "./consent";

function server(name: string, file: string, state: ServerInfo["state"] = "waitingForConsent"): ServerInfo {
  return { name, source: "", state, tools: 0, tokens: 0, inScope: 0, scopeTokens: 0, file };
}

test("a file is asked about once, with all its servers", () => {
  const servers = [
    server("a", "/w/.mcp.json"),
    server("b", "/w/.mcp.json"),
    server("c", "/h/.cursor/mcp.json"),
    server("d", "/x", "ready"),
  ];
  assert.deepEqual(filesToAsk(servers, []), [
    { file: "/w/.mcp.json", servers: ["a", "b"] },
    { file: "/h/.cursor/mcp.json", servers: ["c"] },
  ]);
  assert.deepEqual(filesToAsk(servers, ["/w/.mcp.json", "/h/.cursor/mcp.json"]), []);
});

test("the question names the servers and the file", () => {
  const shorten = (file: string) => file.slice(1);
  assert.equal(
    question([{ file: "/.mcp.json", servers: ["a"] }], shorten),
    "Winnow found an MCP server (a) in .mcp.json, which another client may run too. May Winnow run it?",
  );
  assert.equal(
    question(
      [
        { file: "/x", servers: ["a", "b", "c", "d", "e"] },
        { file: "/y", servers: ["f"] },
      ],
      shorten,
    ),
    "Winnow found 6 MCP servers (a, b, c and 3 more) in x and y, which another client may run too. May Winnow run them?",
  );
});
