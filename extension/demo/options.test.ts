import assert from "node:assert/strict";
import test from "node:test";
import { DemoError } from "./errors";
import { help, parseOptions } from "./options";
import { notes } from "./workspace";

test("without arguments every option has a default", () => {
  const options = parseOptions([]);
  assert.equal(options.message, "read the notes folder and summarise it");
  assert.ok(options.read in notes);
  assert.equal(options.json, false);
  assert.equal(options.help, false);
});

test("words and options", () => {
  const options = parseOptions([
    "find",
    "the bicycle",
    "--json",
    "--no-editor",
    "--read",
    "garden.md",
    "--then=x",
    "--load",
    "y",
  ]);
  assert.deepEqual(options, {
    message: "find the bicycle",
    then: "x",
    load: "y",
    read: "garden.md",
    json: true,
    help: false,
  });
});

test("an unknown option is a message for the user", () => {
  assert.throws(
    () => parseOptions(["--jsn"]),
    (err) => err instanceof DemoError && /--jsn.*--help/s.test(err.message),
  );
});

test("the help names every note", () => {
  for (const name of Object.keys(notes)) assert.match(help, new RegExp(name));
});
