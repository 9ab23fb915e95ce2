import assert from "node:assert/strict";
import { test } from "node:test";
import { statsAddress, wrongAddress } from "./proxyaddress";

test("keys are written for an address of this machine only", () => {
  for (const address of [
    "http://127.0.0.1:4711/openai/v1/chat/completions",
    "http://localhost:1/to/local/chat/completions",
    "http://[::1]:1/x",
  ])
    assert.equal(wrongAddress(address), undefined, address);
  for (const address of [
    "",
    "127.0.0.1:4711",
    "https://api.openai.com/v1",
    "http://192.168.0.2/x",
    "http://127.0.0.1:4711/to/NAME/chat/completions",
  ])
    assert.notEqual(wrongAddress(address), undefined, address);
});

test("the statistics stand behind the token", () => {
  assert.equal(statsAddress("http://127.0.0.1:4711/openai/v1/chat/completions"), "http://127.0.0.1:4711/winnow/stats");
  assert.equal(
    statsAddress("http://127.0.0.1:1/t/secret/to/local/responses"),
    "http://127.0.0.1:1/t/secret/winnow/stats",
  );
});
