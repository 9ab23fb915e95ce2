import assert from "node:assert/strict";
import test from "node:test";
import { count, escapeMarkdown, excerpt, formatTokens, percent, plainMessage } from "./format";

test("tokens fit beside a name", () => {
  const table: [number, string][] = [
    [0, "0"],
    [812, "812"],
    [999, "999"],
    [1000, "1k"],
    [8200, "8.2k"],
    [9949, "9.9k"],
    [9960, "10k"],
    [56_000, "56k"],
    [156_400, "156k"],
    [999_499, "999k"],
    [999_500, "1M"],
    [1_240_000, "1.2M"],
    [56_000_000, "56M"],
    [-320, "-320"],
    [-8200, "-8.2k"],
  ];
  for (const [tokens, want] of table) assert.equal(formatTokens(tokens), want, String(tokens));
});

test("counts agree with their noun", () => {
  assert.equal(count(1, "tool"), "1 tool");
  assert.equal(count(0, "tool"), "0 tools");
  assert.equal(count(2000, "tool"), "2,000 tools");
  assert.equal(count(2, "entry", "entries"), "2 entries");
});

test("a part that is there is never 0%", () => {
  assert.equal(percent(0, 10), "0%");
  assert.equal(percent(1, 1000), "<1%");
  assert.equal(percent(1, 3), "33%");
  assert.equal(percent(3, 3), "100%");
  assert.equal(percent(3, 0), "0%");
});

test("an excerpt is one line and whole characters", () => {
  assert.equal(excerpt("read\n  the notes"), "read the notes");
  assert.equal(excerpt("abcdefgh", 5), "abcd…");
  assert.equal(excerpt("😀😀😀😀", 3), "😀😀…");
});

test("a server's words cannot become a link", () => {
  assert.equal(escapeMarkdown("[x](command:rm)"), "\\[x\\]\\(command:rm\\)");
  assert.equal(escapeMarkdown("<img> $(x)"), "\\<img\\> \\$\\(x\\)");
  assert.equal(escapeMarkdown("https://evil.example"), "https:\\/\\/evil\\.example");
  assert.equal(escapeMarkdown("a\r===\n    b"), "a  \n\\=\\=\\=  \n\u00a0\u00a0\u00a0\u00a0b");
});

test("a server's words cannot become a link of a notification", () => {
  const said = plainMessage(
    'It starts: npx "[docs](command:workbench.action.terminal.sendSequence)" [a][b](https://x)',
  );
  // VS Code's own pattern of the links in a message.
  const links = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
  assert.doesNotMatch(said, links);
  assert.match(said, /^It starts: npx "\[docs\] \(command:/);
  assert.equal(plainMessage("a tool (of files) [x]"), "a tool (of files) [x]");
});
