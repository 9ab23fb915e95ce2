import assert from "node:assert/strict";
import test from "node:test";
import { startingStatus, stoppedStatus } from "./text";

test("a daemon that does not run is told before anything else, with the cause and the next step", () => {
  const stopped = stoppedStatus("winnowd ended by itself. Look at the log, then restart it.");
  assert.equal(stopped.text, "$(error) Winnow does not run");
  assert.match(stopped.tooltip, /winnowd ended by itself\\\. Look at the log/);
  assert.match(stopped.accessibility, /^Winnow does not run: winnowd ended by itself\. .* Opens the menu\.$/);
  assert.equal(stopped.warning, true);
  assert.deepEqual(
    stopped.menu.map(({ command }) => command),
    [undefined, "winnow.restartDaemon", "winnow.showLog"],
  );
});

test("while it starts that is said, and off stays off", () => {
  assert.equal(startingStatus(false).text, "$(loading~spin) Winnow: starting");
  assert.equal(startingStatus(true).text, "$(circle-slash) Winnow: off");
});
