import assert from "node:assert/strict";
import test from "node:test";
import { coalesce } from "./coalesce";
import { Deferred } from "./deferred";

test("any number of calls while it runs make one more run", async () => {
  const gates: Deferred<void>[] = [];
  const errors: unknown[] = [];
  const call = coalesce(
    () => {
      const gate = new Deferred<void>();
      gates.push(gate);
      return gate.promise;
    },
    (err) => errors.push(err),
  );
  call();
  call();
  call();
  assert.equal(gates.length, 1);
  gates[0]?.reject(new Error("lost"));
  await settled();
  assert.equal(gates.length, 2);
  gates[1]?.resolve();
  await settled();
  assert.equal(gates.length, 2);
  assert.equal(errors.length, 1);
  call();
  assert.equal(gates.length, 3);
});

/** Lets every promise that is settled go on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
