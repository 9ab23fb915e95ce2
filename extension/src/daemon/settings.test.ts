import assert from "node:assert/strict";
import test from "node:test";
import { unknownNames, wireSettings } from "./settings";

test("dotted names become objects, and defaults are left out or reset", () => {
  const values = [
    { name: "searchTurns", value: 0 },
    { name: "gateway.mode", value: "all" },
    { name: "gateway.other", value: undefined },
    { name: "shadow", value: undefined },
  ];
  assert.deepEqual(wireSettings(values), { searchTurns: 0, gateway: { mode: "all" } });
  assert.deepEqual(wireSettings(values, true), { searchTurns: 0, gateway: { mode: "all", other: null }, shadow: null });
});

test("what is none of our settings is found, at any depth", () => {
  const known = ["searchTurns", "gateway.mode", "map"];
  const values = { searchTurns: 3, gateway: { mode: "all", mod: 1 }, map: { any: 1 }, serchTurns: 2 };
  assert.deepEqual(unknownNames(values, known), ["gateway.mod", "serchTurns"]);
});
