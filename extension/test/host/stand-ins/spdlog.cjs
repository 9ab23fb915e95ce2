// Stands in for @vscode/spdlog, the native module by which VS Code writes its
// log files, so that installing the host needs no compiler. It knows what VS
// Code uses, and writes at once: the last lines matter most when a test fails.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const levels = ["trace", "debug", "info", "warning", "error", "critical"];

class Logger {
  /** @param {string} _kind @param {string} _name @param {string} file */
  constructor(_kind, _name, file) {
    this.file = file;
    this.level = 2;
    this.bare = false;
  }
  getLevel() {
    return this.level;
  }
  /** @param {number} level */
  setLevel(level) {
    this.level = level;
  }
  // The host asks for one pattern only, or for none.
  setPattern() {
    this.bare = false;
  }
  clearFormatters() {
    this.bare = true;
  }
  flush() {}
  drop() {}
  /** @param {number} level @param {string} message */
  write(level, message) {
    if (level < this.level) return;
    const line = this.bare ? message : `${new Date().toISOString()} [${levels[level]}] ${message}\n`;
    try {
      fs.appendFileSync(this.file, line);
    } catch {
      // The profile's folder goes before the last of its processes.
    }
  }
  /** @param {string} message */
  trace(message) {
    this.write(0, message);
  }
  /** @param {string} message */
  debug(message) {
    this.write(1, message);
  }
  /** @param {string} message */
  info(message) {
    this.write(2, message);
  }
  /** @param {string} message */
  warn(message) {
    this.write(3, message);
  }
  /** @param {string} message */
  error(message) {
    this.write(4, message);
  }
  /** @param {string} message */
  critical(message) {
    this.write(5, message);
  }
}

/** @param {string} name @param {string} file */
async function createLogger(name, file) {
  await fs.promises.mkdir(path.dirname(file), { recursive: true });
  return new Logger("rotating", name, file);
}

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
