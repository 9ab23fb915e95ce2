import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, asked, call, environment, result, system, text } from "../../test/support/parts";
import { customAgent, unwrap, userWords } from "./prompt";

test("the user's words are found in what the agent wraps around them", () => {
  const messages = [system(), environment, asked("read the garden note\nand say why"), answered(text("ok"))];
  assert.equal(userWords(messages), "read the garden note\nand say why");
});

test("a tool result is no message of the user's", () => {
  const messages = [
    asked("read"),
    answered(call("c1", "read_file")),
    result("c1", "<userRequest>\nno\n</userRequest>"),
  ];
  assert.equal(userWords(messages), "read");
});

test("other families of models and Ask mode use other tags", () => {
  assert.equal(unwrap("<context>x</context>\n<user_query>\nhello\n</user_query>"), "hello");
  assert.equal(unwrap("<attachments>x</attachments>\n<prompt>\nwhy?\n</prompt>\n"), "why?");
});

test("words that hold tags themselves stay whole", () => {
  assert.equal(
    unwrap("<userRequest>\nexplain <context>this</context>\n</userRequest>"),
    "explain <context>this</context>",
  );
});

test("words that no tag marks are what is left of the text", () => {
  assert.equal(unwrap("<context>\ndate\n</context>\nplain words"), "plain words");
  assert.equal(unwrap("plain words"), "plain words");
  assert.equal(unwrap("<conversation-summary>\nlong\n</conversation-summary>"), "");
});

test("without a message of the user's there are no words", () => {
  assert.equal(userWords([system()]), "");
});

test("the custom agent is read from the system prompt, and from nowhere else", () => {
  const instructions = (name: string) =>
    `You are an expert.\n<modeInstructions>\nYou are currently running in "${name}" mode. Below are your instructions for this mode.\n`;
  assert.equal(customAgent([system(instructions("reviewer")), asked("hello")]), "reviewer");
  assert.equal(customAgent([system(instructions('the "big" one'))]), 'the "big" one');
  assert.equal(customAgent([system(), asked(instructions("reviewer"))]), undefined);
});
