import assert from "node:assert/strict";
import test from "node:test";
import { prefixOf, shortName } from "./names";

test("VS Code's prefix is found, and nothing of the tools' own names", () => {
  const table: [string[], string][] = [
    [["mcp_memory-server_create_entities", "mcp_memory-server_read_graph"], "mcp_memory-server_"],
    [["mcp_everything_re_echo"], "mcp_everything_re_"],
    [["mcp_thinking_sequentialthinking"], "mcp_thinking_"],
    [["mcp_playwright_browser_click", "mcp_playwright_browser_close"], "mcp_playwright_"],
    [["mcp_git_status", "mcp_git_status_all"], "mcp_git_"],
    [["create_issue", "create_label"], ""],
    [["mcp_a", "mcp_b"], ""],
    [[], ""],
  ];
  for (const [names, want] of table) assert.equal(prefixOf(names), want, names.join());
  assert.equal(shortName("mcp_git_status", "mcp_git_"), "status");
  assert.equal(shortName("status", "mcp_git_"), "status");
});
