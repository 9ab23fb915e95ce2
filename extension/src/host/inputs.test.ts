import assert from "node:assert/strict";
import test from "node:test";
import type { CancellationToken, SecretStorage } from "vscode";
import { Deferred } from "../base/deferred";
import type { InputRequestParams } from "../protocol/protocol.gen";
import { Inputs } from "./inputs";

/** VS Code's store of secrets, one for all windows. */
function secretStore(): SecretStorage & { values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    keys: () => Promise.resolve([...values.keys()]),
    get: (key) => Promise.resolve(values.get(key)),
    store: (key, value) => Promise.resolve(void values.set(key, value)),
    delete: (key) => Promise.resolve(void values.delete(key)),
    onDidChange: () => assert.fail("nobody listens"),
  };
}

const never = {} as CancellationToken;

/** The inputs of a window that has a workspace open, and whose user answers with these. */
function windowOf(secrets: SecretStorage, workspace: string, ...answers: (string | undefined)[]) {
  const asked: InputRequestParams[] = [];
  const inputs = new Inputs(secrets, workspace, (params) => {
    asked.push(params);
    return Promise.resolve(answers.shift());
  });
  const value = async (params: InputRequestParams) => (await inputs.request(params, never)).value;
  return { inputs, value, asked };
}

const token: InputRequestParams = {
  id: "token",
  server: "github",
  file: "/work/.vscode/winnow.json",
  workspace: true,
  kind: "promptString",
  description: "The token",
  password: true,
};

test("a value is asked for once, and a dismissed box again", async () => {
  const secrets = secretStore();
  const { value, asked } = windowOf(secrets, "a", undefined, "secret");
  assert.equal(await value(token), undefined);
  assert.equal(await value(token), "secret");
  assert.equal(await value(token), "secret");
  assert.equal(asked.length, 2);
  // The window is opened again.
  assert.equal(await windowOf(secrets, "a").value(token), "secret");
});

test("boxes open one after the other", async () => {
  let open = 0;
  let most = 0;
  const inputs = new Inputs(secretStore(), "a", async ({ id }) => {
    most = Math.max(most, ++open);
    await Promise.resolve();
    open--;
    return id;
  });
  const answers = ["1", "2", "3"].map((id) => inputs.request({ ...token, id }, never));
  assert.deepEqual(await Promise.all(answers), [{ value: "1" }, { value: "2" }, { value: "3" }]);
  assert.equal(most, 1);
});

test("a value that is kept does not wait for another's box, and what two servers wait for is asked for once", async () => {
  const secrets = secretStore();
  await windowOf(secrets, "a", "secret").value(token);
  const asked: string[] = [];
  const box = new Deferred<string>();
  const opened = new Deferred<void>();
  const inputs = new Inputs(secrets, "a", ({ id }) => {
    asked.push(id);
    opened.resolve();
    return box.promise;
  });
  const waiting = [1, 2].map(() => inputs.request({ ...token, id: "other" }, never));
  await opened.promise;
  assert.deepEqual(await inputs.request(token, never), { value: "secret" });
  box.resolve("given");
  assert.deepEqual(await Promise.all(waiting), [{ value: "given" }, { value: "given" }]);
  assert.deepEqual(asked, ["other"]);
});

test("what a workspace's server was given, no other one gets: each has its own command", async () => {
  const secrets = secretStore();
  assert.equal(await windowOf(secrets, "a", "secret").value(token), "secret");
  // The same path, on another machine.
  assert.equal(await windowOf(secrets, "b", "mine").value(token), "mine");
  const { value } = windowOf(secrets, "a", "other server", "other file", "other id");
  assert.equal(await value({ ...token, server: "gitlab" }), "other server");
  assert.equal(await value({ ...token, file: "/work/.mcp.json" }), "other file");
  assert.equal(await value({ ...token, id: "key" }), "other id");
  assert.equal(await value(token), "secret");
});

test("what the user's own file asks for is asked for once for all workspaces", async () => {
  const secrets = secretStore();
  const own = { ...token, file: "/home/me/.config/winnow/winnow.json", workspace: false };
  assert.equal(await windowOf(secrets, "a", "secret").value(own), "secret");
  assert.equal(await windowOf(secrets, "b").value(own), "secret");
});

test("forgetting forgets the values of every workspace and version, and no sign-in", async () => {
  const secrets = secretStore();
  await windowOf(secrets, "a", "secret").value(token);
  secrets.values.set("input/github/token", "of an earlier version");
  secrets.values.set("winnow.embeddings.cohere", "the daemon's");
  secrets.values.set("oauth.0123", "stays");
  const { inputs, value } = windowOf(secrets, "b", "again");
  assert.equal(await inputs.forget(), 3);
  assert.deepEqual([...secrets.values.keys()], ["oauth.0123"]);
  assert.equal(await value(token), "again");
});

test("what the daemon asks for itself, it keeps itself", async () => {
  const secrets = secretStore();
  const { value } = windowOf(secrets, "a", "mistyped", "right");
  const key: InputRequestParams = { id: "winnow.embeddings.cohere", kind: "promptString", description: "API key" };
  assert.equal(await value(key), "mistyped");
  assert.equal(await value(key), "right");
  assert.equal(secrets.values.size, 0);
});
