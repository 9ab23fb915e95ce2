import type { ServerState } from "../../protocol.gen";
import type { RowIcon } from "../items";

/** How a server's state looks and reads. */
export interface StateLook {
  icon: RowIcon;
  /** For people. */
  words: string;
  /** Waits for the user. */
  attention: boolean;
  /** What the user can do, after the daemon's own words. */
  next?: string;
}

/** How each state of a server looks. */
export const stateLooks: Record<ServerState, StateLook> = {
  configured: { icon: { id: "circle-outline", color: "disabledForeground" }, words: "not started", attention: false },
  known: {
    icon: { id: "circle-outline", color: "charts.green" },
    words: "starts at its first call",
    attention: false,
  },
  starting: { icon: { id: "loading~spin", color: "charts.blue" }, words: "starting", attention: false },
  ready: { icon: { id: "pass-filled", color: "charts.green" }, words: "running", attention: false },
  signedOut: {
    icon: { id: "key", color: "charts.yellow" },
    words: "signed out",
    attention: true,
    next: "Choose Sign In to Server.",
  },
  failed: {
    icon: { id: "error", color: "charts.red" },
    words: "failed",
    attention: true,
    next: "It is tried again by itself. Choose Show Server Log to see what it wrote, or Restart Server to try now.",
  },
  disabled: { icon: { id: "circle-slash", color: "disabledForeground" }, words: "disabled", attention: false },
  stopped: {
    icon: { id: "debug-stop", color: "disabledForeground" },
    words: "stopped",
    attention: false,
    next: "Choose Restart Server to start it again.",
  },
  waitingForTrust: {
    icon: { id: "workspace-untrusted", color: "charts.yellow" },
    words: "waits until you trust the workspace",
    attention: true,
    next: "Choose Manage Workspace Trust.",
  },
  waitingForConsent: {
    icon: { id: "shield", color: "charts.yellow" },
    words: "waits for your consent",
    attention: true,
    next: "You have not agreed to what it starts. Choose Allow Server to Start to see that.",
  },
  declined: {
    icon: { id: "circle-slash", color: "disabledForeground" },
    words: "not allowed",
    attention: false,
    next: "You chose not to run it. Choose Allow Server to Start to change that.",
  },
  host: { icon: { id: "vm-connect", color: "charts.blue" }, words: "run by VS Code", attention: false },
};
