import assert from "node:assert/strict";
import { test } from "node:test";
import { LabelFiles } from "./labelfiles";

/** Files that the test writes. */
function disk(texts: Record<string, string>) {
  const watchers = new Map<string, () => void>();
  let changes = 0;
  const files = new LabelFiles(
    {
      read: (file) => {
        const text = texts[file];
        return text === undefined ? Promise.reject(new Error("no such file")) : Promise.resolve(text);
      },
      watch: (file, changed) => {
        watchers.set(file, changed);
        return { dispose: () => void watchers.delete(file) };
      },
    },
    () => changes++,
  );
  const write = (file: string, text: string) => {
    texts[file] = text;
    watchers.get(file)?.();
  };
  return { files, write, watched: () => [...watchers.keys()], changes: () => changes };
}

const settled = () => new Promise(setImmediate);

const naming = (...servers: string[]) =>
  JSON.stringify({ servers: Object.fromEntries(servers.map((name) => [name, {}])) });

test("the labels of all files are known, and follow them", async () => {
  const { files, write } = disk({ user: naming("A"), one: naming("B", "C"), broken: "{" });
  for (const file of ["user", "one", "broken", "none"]) files.follow(file);
  await settled();
  assert.deepEqual(files.labels, ["A", "B", "C"]);
  write("one", naming("D"));
  write("none", naming("E"));
  await settled();
  assert.deepEqual(files.labels, ["A", "D", "E"]);
});

test("a file that is not followed any more is neither watched nor known", async () => {
  const { files, watched, changes } = disk({ user: naming("A"), one: naming("B"), two: naming("C") });
  for (const file of ["user", "one"]) files.follow(file);
  await settled();
  const before = changes();
  files.unfollow("one");
  assert.equal(changes(), before + 1);
  assert.deepEqual([files.labels, watched()], [["A"], ["user"]]);
  // Also one that is just being read.
  files.follow("two");
  files.unfollow("two");
  await settled();
  assert.deepEqual(files.labels, ["A"]);
  files.dispose();
  assert.deepEqual([files.labels, watched()], [[], []]);
});
