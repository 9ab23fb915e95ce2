// Reads JSON with comments, as VS Code does: the place of a cursor in a text
// that is being typed. Edits are the daemon's. The only file that imports the
// library. Its main is UMD, which no bundler follows.
export { type JSONPath, getLocation, parse } from "jsonc-parser/lib/esm/main.js";
