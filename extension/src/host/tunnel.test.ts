import assert from "node:assert/strict";
import test from "node:test";
import { plainAddress } from "./tunnel";

test("an address in the local network without https needs a tunnel", () => {
  assert.deepEqual(plainAddress("http://192.168.1.5:8080/proxy/41000/callback"), {
    origin: "http://192.168.1.5:8080",
    local: "http://localhost:8080",
    command: "ssh -L 8080:localhost:8080 192.168.1.5",
  });
  assert.equal(plainAddress("http://code.lan/proxy/41000/callback")?.command, "ssh -L 8080:localhost:80 code.lan");
});

test("https and the browser's own computer need none", () => {
  for (const host of [
    "https://192.168.1.5",
    "http://127.0.0.1:8080",
    "http://localhost",
    "http://a.localhost",
    "http://[::1]:1",
  ]) {
    assert.equal(plainAddress(`${host}/callback`), undefined, host);
  }
  assert.ok(plainAddress("http://localhost.example.com/callback") !== undefined);
});
