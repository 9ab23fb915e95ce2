import assert from "node:assert/strict";
import test from "node:test";
import { RequestType } from "vscode-jsonrpc";
import * as wire from "./protocol.gen";

test("requests and notifications are typed by the method table", () => {
  const methods = Object.values(wire).filter((value) => value instanceof RequestType);
  assert.ok(methods.some((method) => method.method === "task/open"));
  assert.equal(wire.ShowMessage.method, "window/showMessage");
  assert.equal(wire.ShowMessage.numberOfParams, 1);
});

test("codes keep their values", () => {
  assert.equal(wire.Code.RequestCancelled, -32800);
  assert.equal(wire.PROTOCOL_VERSION, 1);
});
