import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, asked, call, environment, result, system } from "../../test/support/parts";
import { textOf } from "./message";
import { customAgent, newestText } from "./prompt";

test("the newest text is that of a message, not of a tool's result, and goes to the daemon as it is", () => {
  const messages = [environment, asked("read"), answered(call("c1", "read_file")), result("c1", "no")];
  assert.equal(newestText(messages), textOf(asked("read").parts));
  assert.equal(newestText([system()]), "");
});

test("the custom agent is read from the system prompt, and from nowhere else", () => {
  const instructions = (name: string) =>
    `You are an expert.\n<modeInstructions>\nYou are currently running in "${name}" mode. Below are your instructions for this mode.\n`;
  assert.equal(customAgent([system(instructions("reviewer")), asked("hello")]), "reviewer");
  assert.equal(customAgent([system(instructions('the "big" one'))]), 'the "big" one');
  assert.equal(customAgent([system(), asked(instructions("reviewer"))]), undefined);
});
