// JSON with comments, as VS Code reads its own files. The only file that
// imports the library. Its main is UMD, which no bundler follows.
export {
  type JSONPath,
  type Node,
  applyEdits,
  findNodeAtLocation,
  getLocation,
  modify,
  parse,
  parseTree,
} from "jsonc-parser/lib/esm/main.js";
