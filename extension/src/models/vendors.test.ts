import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Deferred } from "../base/deferred";
import { Vendors } from "./vendors";

/** Vendors that answer when the test says so; the clock is the test's. */
function vendors(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const asked: Deferred<{ id: string }[]>[] = [];
  const warned: string[] = [];
  let late = 0;
  const all = new Vendors({
    ask: () => {
      const answer = new Deferred<{ id: string }[]>();
      asked.push(answer);
      return answer.promise;
    },
    timeout: 10_000,
    late: () => late++,
    warn: (text) => warned.push(text),
  });
  return { all, asked, warned, late: () => late };
}

const models = (...ids: string[]) => ids.map((id) => ({ id }));

test("a vendor that hangs or fails keeps its models, and it is said", async (t) => {
  const { all, asked, warned } = vendors(t);
  const first = all.models("acme");
  asked[0]?.resolve(models("a", "b"));
  assert.deepEqual(await first, models("a", "b"));

  const slow = all.models("acme");
  t.mock.timers.tick(10_000);
  assert.deepEqual(await slow, models("a", "b"));

  const failing = all.models("acme");
  asked[2]?.reject(new Error("offline"));
  assert.deepEqual(await failing, models("a", "b"));
  assert.deepEqual(warned, [
    "acme did not tell its language models within 10 s; the 2 known before stay",
    "acme does not tell its language models (Error: offline); the 2 known before stay",
  ]);
});

test("what vanished is gone, when the vendor says so", async (t) => {
  const { all, asked, warned } = vendors(t);
  const first = all.models("acme");
  asked[0]?.resolve(models("a", "b"));
  await first;
  const second = all.models("acme");
  asked[1]?.resolve([]);
  assert.deepEqual(await second, []);
  assert.deepEqual(warned, []);
});

test("a late answer counts, and is told once where it says something new", async (t) => {
  const { all, asked, late } = vendors(t);
  const first = all.models("acme");
  t.mock.timers.tick(10_000);
  assert.deepEqual(await first, []);
  asked[0]?.resolve(models("a"));
  await asked[0]?.promise;
  await Promise.resolve();
  assert.equal(late(), 1);

  const second = all.models("acme");
  t.mock.timers.tick(10_000);
  assert.deepEqual(await second, models("a"));
  asked[1]?.resolve(models("a"));
  await asked[1]?.promise;
  await Promise.resolve();
  assert.equal(late(), 1);
});
