// Stands in for @vscode/native-watchdog, which ends an extension host whose
// event loop hangs after the death of its parent. Our hosts are stopped as a
// process group, and installing needs no compiler.
"use strict";

exports.start = () => {};
exports.exit = () => {};
