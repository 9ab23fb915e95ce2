import assert from "node:assert/strict";
import test from "node:test";
import { DaemonError } from "../src/daemon/errors";
import { DemoError, explain } from "./errors";
import { renderDocument } from "./json";

test("the daemon's errors come with their next step", () => {
  assert.equal(
    explain(new DaemonError("there is no server x", { next: "See catalog/list." })),
    "there is no server x. See catalog/list.",
  );
  assert.equal(explain(new DaemonError("there is no server x")), "there is no server x");
});

test("our own errors have no stack trace, others do", () => {
  assert.equal(explain(new DemoError("no such note")), "no such note");
  assert.match(explain(new TypeError("oops")), /TypeError: oops\n {4}at /);
  assert.equal(explain("thrown"), "thrown");
});

test("the document says whether all went well", () => {
  assert.deepEqual(JSON.parse(renderDocument([])), { ok: true, events: [] });
  assert.deepEqual(JSON.parse(renderDocument([], "no")), { ok: false, error: "no", events: [] });
});
