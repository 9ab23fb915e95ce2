import type { Winnow } from "../winnow";
import { registerFirstRun } from "./firstrun";
import { registerGateway } from "./gateway";
import { registerImport } from "./import";
import { registerProxyModel } from "./proxymodel";

/** Registers what brings servers to Winnow, and Winnow's servers to VS Code. */
export function registerServers(winnow: Winnow): void {
  registerGateway(winnow);
  registerProxyModel(winnow);
  registerImport(winnow);
  registerFirstRun(winnow);
}
