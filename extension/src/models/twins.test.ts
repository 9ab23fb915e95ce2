import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ModelInfo,
  hasNativeSearch,
  hasTwin,
  maxToolsOf,
  routedName,
  twinId,
  twinOf,
  twinned,
  vendorsOf,
} from "./twins";

const model = (over: Partial<ModelInfo> = {}): ModelInfo => ({
  vendor: "ollama",
  id: "llama",
  name: "Llama",
  family: "llama",
  version: "1",
  maxInputTokens: 8000,
  ...over,
});

test("a twin is its model's in all but its name", () => {
  const twin = twinOf(model({ capabilities: { supportsToolCalling: true, supportsImageToText: false } }));
  assert.equal(twin.id, "ollama/llama");
  // No mark begins the name: VS Code preselects the first by name.
  assert.equal(twin.name, routedName("Llama"));
  assert.ok(twin.name.localeCompare("Llama") > 0 && twin.name.startsWith("Llama"), twin.name);
  assert.equal(twinned(twin.name), "Llama");
  assert.equal(twinned("Llama"), "Llama");
  assert.equal(twin.family, "llama");
  assert.equal(twin.maxInputTokens, 8000);
  assert.deepEqual(twin.capabilities, { toolCalling: true, imageInput: false });
  assert.notEqual(twinId(model()), twinId(model({ vendor: "openai" })));
});

test("Copilot's own models get one only when the user says so", () => {
  assert.equal(hasTwin(model(), false), true);
  assert.equal(hasTwin(model({ vendor: "copilot" }), false), false);
  assert.equal(hasTwin(model({ vendor: "copilot" }), true), true);
  assert.equal(maxToolsOf(model({ vendor: "copilot" })), 128);
  assert.equal(maxToolsOf(model()), 0);
});

test("our own, chores, and models that cannot take tools get none", () => {
  for (const over of [
    { vendor: "winnow" },
    { vendor: "copilotcli" },
    { vendor: "copilot", id: "copilot-utility-small" },
    { vendor: "copilot", id: "copilot-dictation" },
    { maxInputTokens: 0 },
    { capabilities: { supportsToolCalling: false } },
  ]) {
    assert.equal(hasTwin(model(over), true), false, JSON.stringify(over));
  }
});

test("Copilot searches tools itself for its newer models", () => {
  const copilot = (family: string) => hasNativeSearch({ vendor: "copilot", family });
  for (const family of [
    "claude-sonnet-4.5",
    "claude-opus-4.7",
    "claude-opus-5",
    "claude-haiku-4-5",
    "gpt-5.4",
    "gpt-5.5-codex",
  ]) {
    assert.equal(copilot(family), true, family);
  }
  for (const family of ["claude-sonnet-4", "claude-3.7-sonnet", "gpt-5", "gpt-4.1", "gemini-2.5-pro", "gpt-5-mini"]) {
    assert.equal(copilot(family), false, family);
  }
  assert.equal(hasNativeSearch({ vendor: "anthropic", family: "claude-sonnet-4.5" }), false);
});

test("vendors are read from the manifests, whatever form they have", () => {
  const vendors = vendorsOf([
    { contributes: { languageModelChatProviders: [{ vendor: "b" }, { vendor: "winnow" }, { vendor: "copilotcli" }] } },
    { contributes: { languageModelChatProviders: { vendor: "a" } } },
    { contributes: { languageModelChatProviders: ["x", null, { vendor: 3 }] } },
    { contributes: {} },
    {},
    { contributes: { languageModelChatProviders: [{ vendor: "b" }] } },
  ]);
  assert.deepEqual(vendors, ["a", "b"]);
});
