import assert from "node:assert/strict";
import test from "node:test";
import { CancellationToken, CancellationTokenSource } from "vscode-jsonrpc/node";
import { Questions } from "./questions";

test("a question is answered once", async () => {
  const questions = new Questions();
  const answered = questions.ask((number) => {
    assert.deepEqual(questions.open, [number]);
  }, CancellationToken.None);
  const [number = 0] = questions.open;
  assert.equal(questions.answer(number, "task"), true);
  assert.equal(await answered, "task");
  assert.equal(questions.answer(number, "always"), false);
  assert.deepEqual(questions.open, []);
});

test("cancelling answers no, before and after the question is shown", async () => {
  const questions = new Questions();
  const source = new CancellationTokenSource();
  const answered = questions.ask(() => undefined, source.token);
  source.cancel();
  assert.equal(await answered, "skip");
  let shown = false;
  assert.equal(await questions.ask(() => (shown = true), source.token), "skip");
  assert.equal(shown, false);
});
