import assert from "node:assert/strict";
import test from "node:test";
import type { AttachedTokens } from "../protocol.gen";
import { savingSentences, savingShort, savingWords, usedWords, weekWords } from "./saving";

const tokens = (client: number): AttachedTokens => ({
  all: 19_000,
  attached: 3000,
  saved: 16_000,
  client,
  clientSaved: client - 3000,
});

test("a saving is told against what the client would send by itself", () => {
  const host = { client: true, tokens: tokens(6100) };
  assert.equal(savingShort(host), "saves 3.1k");
  assert.equal(savingShort({ ...host, shadow: true }), "would save 3.1k");
  assert.equal(savingWords(host), "3.1k tokens fewer than VS Code by itself");
  assert.equal(savingWords({ ...host, client: false }), "3.1k tokens fewer than all of them");
  assert.deepEqual(savingSentences(host), [
    "Its requests carry 3,000 tokens of MCP tools.",
    "VS Code by itself, with what it hides behind groups, sends 6,100 tokens.",
    "All of the tools cost 19,000 tokens.",
  ]);
  assert.equal(savingSentences({ ...host, tokens: tokens(19_000) }).length, 2);
});

test("what costs more says so, and what is equal says nothing", () => {
  const host = { client: true, tokens: tokens(2700) };
  assert.equal(savingShort(host), "costs 300 more");
  assert.equal(savingWords(host), "300 tokens more than VS Code by itself");
  assert.equal(savingShort({ ...host, tokens: tokens(3000) }), "");
  assert.equal(savingWords({ ...host, tokens: tokens(3000) }), "");
});

test("what the model had at hand is told once it has called a tool", () => {
  assert.equal(usedWords({ called: 0, inHand: 0 }), "");
  assert.equal(usedWords({ called: 1, inHand: 1 }), "The model called 1 tool: it was in hand from the start.");
  assert.equal(
    usedWords({ called: 3, inHand: 2, groupCalls: 1 }),
    "The model called 3 tools: 2 were in hand from the start; 1 call to open a group of VS Code's avoided.",
  );
});

test("the week sums up both comparisons", () => {
  assert.equal(weekWords({ monday: "2026-11-16", tasks: 0, requests: 0, clientSaved: 0, saved: 0 }), "");
  assert.equal(
    weekWords({ monday: "2026-11-16", tasks: 1, requests: 41, clientSaved: -900, saved: 38_000 }),
    "This week: 41 requests of 1 task, 900 tokens more than the clients by themselves, 38k tokens fewer than with every tool.",
  );
});
