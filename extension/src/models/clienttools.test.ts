import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, asked, call, result, system, tool } from "../../test/support/parts";
import { ClientLists, chatKey } from "./clienttools";

const shows = (...names: string[]) => ({
  native: [],
  mcp: names.map((name) => tool(name)),
  groups: [tool("activate_web")],
  proxy: true,
});

test("chats without a name of their own are told apart by what was said", () => {
  const lists = new ClientLists();
  const one = [system(), asked("send a mail")];
  const two = [system(), asked("read a file")];
  lists.see(chatKey(one), one, shows("mcp_mail"), true);
  lists.see(chatKey(two), two, shows("mcp_file"), true);
  // The groups of the first have been opened since: what it showed before counts.
  const opened = [...one, answered(call("c1", "activate_web")), result("c1", "Tools activated: mcp_web")];
  assert.equal(chatKey(opened), chatKey(one));
  lists.see(chatKey(opened), opened, shows("mcp_mail", "mcp_web"), true);
  const client = lists.of(chatKey(opened), new Map([["activate_web", ["mcp_web"]]]));
  assert.deepEqual(client?.visible, ["mcp_mail"]);
  assert.deepEqual(
    client.groups?.map(({ hides }) => hides),
    [["mcp_web"]],
  );
});
