// Parses JSON with comments, as VS Code does, including the place of a cursor in incomplete text. The daemon makes
// edits. This is the only file that imports the library. The library's main is UMD, which no bundler follows.
export { type JSONPath, getLocation, parse } from "jsonc-parser/lib/esm/main.js";
