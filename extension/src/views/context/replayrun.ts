// Runs `winnowd replay`. Without VS Code, for tests.
import { spawn } from "node:child_process";
import { buffer, text } from "node:stream/consumers";

/** The program and the session of a replay. */
export interface Replay {
  /** The path of winnowd. */
  program: () => Promise<string>;
  /** The initialize params of the window's daemon. */
  session: () => object;
}

/** Replays clients' stored conversations in a process of its own, and returns the report's page. */
export async function replayPage(replay: Replay, signal: AbortSignal): Promise<string> {
  const file = await replay.program();
  const child = spawn(file, ["replay", "-in-editor"], { stdio: ["pipe", "pipe", "pipe"], windowsHide: true, signal });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  child.stdin.on("error", () => undefined); // its exit reports the cause
  child.stdin.end(JSON.stringify(replay.session()));
  const [page, told, code] = await Promise.all([buffer(child.stdout), text(child.stderr), ended]);
  if (code !== 0)
    throw new Error(`What your clients have kept was not replayed: ${told.trim().split("\n").at(-1) ?? ""}`);
  return page.toString("utf8");
}
