import assert from "node:assert/strict";
import { test } from "node:test";
import { Listing, type ListedTool, anyTools, unknownServer } from "./servers";

const listed = (name: string, fullReferenceName?: string, tags = ["mcp"]): ListedTool => ({
  name,
  description: "",
  tags,
  ...(fullReferenceName !== undefined && { fullReferenceName }),
});

test("MCP's tools are known by their tag, and by their name where VS Code does not list them", () => {
  const listing = new Listing([listed("mcp_fake", undefined, []), listed("other_name")], []);
  assert.equal(listing.isMcp("mcp_fake"), false);
  assert.equal(listing.isMcp("other_name"), true);
  assert.equal(listing.isMcp("mcp_gone"), true);
  assert.equal(listing.isMcp("read_file"), false);
});

test("the server is what VS Code calls it, in the spelling of the file that defines it", () => {
  const tools = [
    listed("mcp_secure-filesy_read_file", "my-files/read_file"),
    listed("mcp_x_get-sum", "acme/everything/get-sum"),
  ];
  const listing = new Listing(tools, ["My Files"]);
  assert.deepEqual(listing.originOf("mcp_secure-filesy_read_file"), { server: "My Files", tool: "read_file" });
  assert.deepEqual(listing.originOf("mcp_x_get-sum"), { server: "acme/everything", tool: "get-sum" });
});

test("where VS Code does not tell, a name that begins with a known label's prefix is that server's", () => {
  const listing = new Listing([], ["github", "GitHub Enterprise", "a.b"]);
  assert.deepEqual(listing.originOf("mcp_github_create_issue"), { server: "github" });
  // The longest prefix wins; a label is cut after 17 characters, mcp_ included.
  assert.deepEqual(listing.originOf("mcp_github_enterp_create"), { server: "GitHub Enterprise" });
  assert.deepEqual(listing.originOf("mcp_a_b_tool"), { server: "a.b" });
});

test("a tool that no known server claims, or two, is shown as unknown", () => {
  const listing = new Listing([], ["filesystem extra one", "filesystem extra two"]);
  assert.deepEqual(listing.originOf("mcp_filesystem_ex_read"), { server: unknownServer });
  assert.deepEqual(listing.originOf("mcp_other_read"), { server: unknownServer });
});

test("what the gateway offers is there without it, and none to choose from", () => {
  const tools = [
    listed("mcp_winnow_mcp_load", "winnow-gateway/mcp_load"),
    listed("mcp_winnow_read_note", "winnow-gateway/read_note"),
    listed("mcp_other_mcp_load", "other/mcp_load"),
  ];
  const listing = new Listing(tools, []);
  assert.deepEqual(
    tools.map(({ name }) => listing.isMcp(name)),
    [false, false, true],
  );
});

test("the daemon's servers have tools whichever mode is current: a request may be in another", () => {
  assert.equal(anyTools([]), false);
  const blocked = { tools: 3, inScope: 0 };
  assert.equal(anyTools([{ tools: 0 }, blocked]), true);
});
