import assert from "node:assert/strict";
import { test } from "node:test";
import { CancellationToken, CancellationTokenSource } from "vscode-jsonrpc/node";
import { answerTo, questionTimeout } from "./question";

const never = new Promise<string>(() => undefined);

test("a question is answered by a person, ended by Stop, and skipped when nobody answers", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  assert.equal(await answerTo(Promise.resolve("Allow"), CancellationToken.None), "Allow");
  assert.equal(await answerTo(Promise.resolve(undefined), CancellationToken.None), undefined);
  const stop = new CancellationTokenSource();
  const stopped = answerTo(never, stop.token);
  stop.cancel();
  assert.equal(await stopped, undefined);
  assert.equal(await answerTo(never, stop.token), undefined, "it was stopped before it was asked");
  let answer: string | undefined = "none yet";
  const late = answerTo(never, CancellationToken.None).then((given) => (answer = given));
  t.mock.timers.tick(questionTimeout - 1);
  await Promise.resolve();
  assert.equal(answer, "none yet");
  t.mock.timers.tick(1);
  await late;
  assert.equal(answer, undefined);
});
