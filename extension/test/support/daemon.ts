// The daemon of end-to-end tests. Their step of npm test has built it.
import { watch } from "node:fs/promises";
import path from "node:path";
import type { TestContext } from "node:test";
import { type ClientOptions, DaemonClient } from "../../src/daemon/client";
import type { InitializeParams } from "../../src/protocol/protocol.gen";

/** The root of the checkout, in which the tests run. */
export const root = process.cwd();

/** The daemon's file. */
export const winnowd = path.join(root, "extension", "bin", process.platform === "win32" ? "winnowd.exe" : "winnowd");

/**
 * A client whose daemon takes a folder for the user's home and configuration.
 * It is not started yet; the test's end ends it.
 */
export function testDaemon(
  t: TestContext,
  dir: string,
  params: Partial<InitializeParams> = {},
  options: Partial<ClientOptions> = {},
): DaemonClient {
  const daemon = new DaemonClient({
    binary: () => Promise.resolve(winnowd),
    initialize: () => ({ client: { name: "test" }, trusted: true, userConfigDir: dir, homeDir: dir, ...params }),
    logLevel: () => "info",
    onLog: () => undefined,
    ...options,
  });
  t.after(() => daemon.stop());
  return daemon;
}

/** Resolves when a conversation is kept in a folder; rejects at the test's end. */
export async function fileIn(t: TestContext, folder: string): Promise<void> {
  const end = new AbortController();
  t.after(() => end.abort());
  for await (const { filename } of watch(folder, { signal: end.signal })) {
    if (filename?.endsWith(".conversation") === true) return;
  }
}
