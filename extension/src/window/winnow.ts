import type * as vscode from "vscode";
import type { Daemon } from "../daemon/client";
import type { InForce } from "./setting";
import type { Steps } from "./steps";

/** The context of every part of the extension. */
export interface Winnow {
  readonly context: vscode.ExtensionContext;
  readonly daemon: Daemon;
  readonly settings: InForce;
  /** The completed steps of the walkthrough. */
  readonly steps: Steps;
  /** The output channel. Above debug it gets no user text and no arguments. */
  readonly log: vscode.LogOutputChannel;
  /** Registers a disposable to be disposed of with the extension, and returns it. */
  readonly own: <T extends vscode.Disposable>(disposable: T) => T;
}
