// JSON with comments, as VS Code reads its own files. The only file that
// imports the library. Its main is UMD, which no bundler follows.
export { type JSONPath, applyEdits, getLocation, modify, parse } from "jsonc-parser/lib/esm/main.js";
