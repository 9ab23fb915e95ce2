// Finds a setting in the text of a settings file.

import { type JSONPath, findNodeAtLocation, parseTree } from "../jsonc/jsonc";

/**
 * Returns where a setting's key stands in settings.json or a .code-workspace
 * file, as an offset; undefined where it is not there. The name may be written
 * whole, or in groups: `"winnow": { "gateway": { "mode": … } }`.
 */
export function settingOffset(text: string, id: string): number | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) return undefined;
  for (const path of pathsOf(id.split("."))) {
    const node = findNodeAtLocation(root, path) ?? findNodeAtLocation(root, ["settings", ...path]);
    if (node !== undefined) return node.parent?.offset ?? node.offset;
  }
  return undefined;
}

/** The ways to write a name in groups, whole first. */
function pathsOf(parts: readonly string[]): JSONPath[] {
  const paths: JSONPath[] = [[parts.join(".")]];
  for (let n = parts.length - 1; n > 0; n--) {
    const first = parts.slice(0, n).join(".");
    for (const rest of pathsOf(parts.slice(n))) paths.push([first, ...rest]);
  }
  return paths;
}
