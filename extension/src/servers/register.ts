import type { Winnow } from "../winnow";
import { registerFirstRun } from "./firstrun";
import { registerGateway } from "./gateway";
import { registerImport } from "./import";

/** Registers what brings servers to Winnow, and Winnow's servers to VS Code. */
export function registerServers(winnow: Winnow): void {
  registerGateway(winnow);
  registerImport(winnow);
  registerFirstRun(winnow);
}
