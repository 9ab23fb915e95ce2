import type * as vscode from "vscode";
import type { Daemon } from "../daemon/client";
import type { InForce } from "./setting";
import type { Steps } from "./steps";

/** What every part of the extension is given. */
export interface Winnow {
  readonly context: vscode.ExtensionContext;
  readonly daemon: Daemon;
  readonly settings: InForce;
  /** What the walkthrough ticks. */
  readonly steps: Steps;
  /** The output channel. No text of the user's and no arguments above debug. */
  readonly log: vscode.LogOutputChannel;
  /** Adds a disposable to the one owner of all of them, and returns it. */
  readonly own: <T extends vscode.Disposable>(disposable: T) => T;
}
