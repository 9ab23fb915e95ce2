import assert from "node:assert/strict";
import test from "node:test";
import { completionAt } from "./place";

/** What is wanted at the bar in a text, and the part of it that is replaced. */
function at(marked: string) {
  const offset = marked.indexOf("|");
  const text = marked.replace("|", "");
  const found = completionAt(text, offset);
  return found === undefined
    ? undefined
    : { ...found.wanted, key: found.key, replaces: text.slice(found.from, found.to) };
}

test("names of tools are completed in the lists of a server", () => {
  for (const list of ["onlyAllow", "disabledTools", "alwaysLoad", "alwaysAllow"]) {
    const want = { kind: "tools", server: "git hub", key: false, replaces: '"cr"' };
    assert.deepEqual(at(`{"servers": {"git hub": {"${list}": ["a", "cr|"]}}}`), want, list);
  }
  assert.deepEqual(at('{"servers": {"a": {"disabledTools": [|'), {
    kind: "tools",
    server: "a",
    key: false,
    replaces: "",
  });
  assert.deepEqual(at('{"servers": {"a": {"toolDescriptionOverrides": {"|"}}}}'), {
    kind: "tools",
    server: "a",
    key: true,
    replaces: '""',
  });
});

test("names of servers are completed in modes, and as keys", () => {
  assert.deepEqual(at('{"modes": {"m": {"blockedMcpServers": ["|"]}}}'), {
    kind: "servers",
    key: false,
    replaces: '""',
  });
  assert.deepEqual(at('// mine\n{"servers": {"g|"}}'), { kind: "servers", key: true, replaces: '"g"' });
});

test("everything else is the schema's", () => {
  for (const text of [
    '{"|"}',
    '{"servers": {"a": {"|"}}}',
    '{"servers": {"a": {"command": "|"}}}',
    '{"modes": {"m": {"name": "|"}}}',
    "|",
  ]) {
    assert.equal(at(text), undefined, text);
  }
});
