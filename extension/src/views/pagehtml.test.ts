import assert from "node:assert/strict";
import test from "node:test";
import { pageHtml } from "./pagehtml";

test("the page allows its own script and style sheet, and nothing inline", () => {
  const page = pageHtml({
    title: "Why",
    script: "https://w/pages.js",
    style: "https://w/pages.css",
    cspSource: "https://w",
    nonce: "n1",
  });
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
  assert.equal(policy, "default-src 'none'; style-src https://w; script-src 'nonce-n1'");
  assert.ok(!/unsafe|\sstyle=|<style|\son\w+=/.test(page));
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.match(page, /<script type="module" nonce="n1" src="https:\/\/w\/pages.js">/);
});
