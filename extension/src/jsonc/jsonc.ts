// Reads JSON with comments, as VS Code does: the place of a cursor in a text
// that is being typed, and of a setting. Edits are the daemon's. The only file
// that imports the library. Its main is UMD, which no bundler follows.
export {
  type JSONPath,
  type Node,
  findNodeAtLocation,
  getLocation,
  parse,
  parseTree,
} from "jsonc-parser/lib/esm/main.js";
