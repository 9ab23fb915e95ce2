import assert from "node:assert/strict";
import { test } from "node:test";
import { hiddenTools, hostList, revealRounds, revealedBy, sortTools } from "./hosttools";
import { answered, asked, call, listing, result, text, tool } from "../../test/support/parts";

const all = [
  tool("read_file"),
  tool("mcp_memory_add"),
  tool("mcp_web_click"),
  tool("mcp_web_type"),
  tool("mcp_web_drag"),
  tool("winnow_call"),
  tool("activate_web"),
];

const offered = all.filter(({ name }) => !name.startsWith("mcp_web"));

test("the tools of a request are sorted by who runs them", () => {
  const sorted = sortTools(offered, listing(all));
  assert.deepEqual(
    sorted.native.map(({ name }) => name),
    ["read_file"],
  );
  assert.deepEqual(
    sorted.mcp.map(({ name }) => name),
    ["mcp_memory_add"],
  );
  assert.deepEqual(
    sorted.groups.map(({ name }) => name),
    ["activate_web"],
  );
  assert.equal(sorted.proxy, true);
});

const activation = [
  asked("click"),
  answered(text(""), call("w1", "activate_web"), call("w2", "activate_more")),
  result("w1", "Tools activated: mcp_web_click, mcp_web_type, activate_sub"),
  result("w2", "That failed."),
  answered(call("w3", "activate_sub")),
  result("w3", "Tools activated: mcp_web_drag"),
];

test("what a group hides is read from its own answer", () => {
  const revealed = revealedBy(activation);
  assert.deepEqual(
    [...revealed],
    [
      ["activate_web", ["mcp_web_click", "mcp_web_type", "activate_sub"]],
      ["activate_more", []],
      ["activate_sub", ["mcp_web_drag"]],
    ],
  );
  assert.equal(revealRounds(activation), 2);
});

test("what a group hid before the user's last words is not known any more", () => {
  const again = [...activation, asked("again")];
  assert.equal(revealRounds(again), 0);
  assert.deepEqual([...revealedBy(again)], []);
  const off = [...again, answered(call("w4", "activate_web")), result("w4", "Tools activated: mcp_web_click")];
  assert.deepEqual([...revealedBy(off)], [["activate_web", ["mcp_web_click"]]]);
  // A message without a text says nothing.
  const empty = { role: "user", parts: [text("")] } as const;
  assert.equal(revealRounds([...off, empty]), 1);
  assert.deepEqual([...revealedBy([...off, empty])], [...revealedBy(off)]);
});

test("hidden tools are offered as long as VS Code offers their group", () => {
  const revealed = revealedBy(activation);
  const names = (tools: typeof offered) =>
    hiddenTools(sortTools(tools, listing(all)), revealed, listing(all)).map(({ name }) => name);
  assert.deepEqual(names(offered), ["mcp_web_click", "mcp_web_type", "mcp_web_drag"]);
  // The user switched the server off: its group is gone.
  assert.deepEqual(names(offered.filter(({ name }) => name !== "activate_web")), []);
  // The group is open: what is visible is not hidden.
  assert.deepEqual(names([...offered, tool("mcp_web_click")]), ["mcp_web_type", "mcp_web_drag"]);
});

test("groups that hold each other end", () => {
  const revealed = new Map([
    ["activate_web", ["activate_sub", "mcp_web_click"]],
    ["activate_sub", ["activate_web", "mcp_web_type"]],
  ]);
  const hidden = hiddenTools(sortTools(offered, listing(all)), revealed, listing(all));
  assert.deepEqual(hidden.map(({ name }) => name).sort(), ["mcp_web_click", "mcp_web_type"]);
});

test("a tool that VS Code does not list any more is not offered", () => {
  const revealed = new Map([["activate_web", ["mcp_web_gone", "read_file"]]]);
  assert.deepEqual(hiddenTools(sortTools(offered, listing(all)), revealed, listing(all)), []);
});

test("a tool that VS Code lists is made ready once, until a server has another name", () => {
  const tools = listing(all, [], "web");
  const hidden = tools.get("mcp_web_click") ?? assert.fail();
  const one = hostList([hidden, tool("mcp_memory_add")], tools, false);
  const two = hostList([tool("mcp_memory_add"), hidden], tools, false);
  assert.deepEqual(one, two);
  assert.equal(one.tools[1], two.tools[1]);
  const renamed = hostList([hidden, tool("mcp_memory_add")], listing(all, [], "browser"), false);
  assert.notEqual(renamed.source, one.source);
  assert.notDeepEqual(renamed.tools[1], one.tools[1]);
});

test("a list is named by its content, in whatever order it came", () => {
  const tools = listing(all, [], "web");
  const one = hostList([tool("mcp_web_click"), tool("mcp_web_type")], tools, false);
  const two = hostList([tool("mcp_web_type"), tool("mcp_web_click")], tools, false);
  assert.deepEqual(one, two);
  assert.deepEqual(one.tools[0], { ...tool("mcp_web_click"), server: "web", tool: "click" });
  assert.notEqual(
    hostList([tool("mcp_web_click", "Other words.")], tools, false).source,
    hostList([tool("mcp_web_click")], tools, false).source,
  );
});
