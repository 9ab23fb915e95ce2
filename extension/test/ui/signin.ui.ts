// A server that wants a sign-in: the browser opens, the person cancels, denies,
// allows. The page that opens is a page of the same Chromium.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { filesWith } from "../host/files";
import { until } from "../host/processes";
import { ProtectedServer } from "../servers/protected";
import { pictures, session } from "./session";

describe("sign-in", () => {
  let vault: ProtectedServer;
  before(async () => (vault = await ProtectedServer.start()));
  after(() => vault.close());

  const ui = session({
    notifications: true,
    arrange: ({ folder }) => {
      const servers = { vault: { url: vault.url } };
      return writeFile(path.join(folder, ".vscode", "winnow.json"), JSON.stringify({ servers }));
    },
  });

  /** Clicks the action of the row, and returns the page that opens in the browser. */
  async function signIn(): Promise<Page> {
    const { editor, workbench } = ui();
    const opened = editor.page.context().waitForEvent("page");
    await workbench.rowAction(workbench.treeRow(/^vault/), "Sign In to Server");
    const page = await opened;
    await page.getByRole("heading", { name: "May Winnow open the vault?" }).waitFor();
    return page;
  }

  test("the view and the status bar say that it is signed out, and what to do", async () => {
    const { editor, workbench } = ui();
    await workbench.openContainer("Winnow");
    await workbench.treeRow(/^vaultsigned out/).waitFor();
    await workbench.statusBarItem("vault signed out").waitFor();
    await editor.screenshot("signin/signed-out");
  });

  test("a sign-in shows its progress, and can be cancelled", async () => {
    const { editor, workbench } = ui();
    const page = await signIn();
    const progress = workbench.notification("sign in to vault in your browser");
    await progress.waitFor();
    await pictures(ui(), "signin/progress");
    await progress.getByRole("button", { name: "Cancel" }).click();
    await progress.waitFor({ state: "detached" });
    await workbench.treeRow(/^vaultsigned out/).waitFor();
    await editor.screenshot("signin/cancelled");
    await page.close();
  });

  test("a person who denies is told so", async () => {
    const { editor, workbench } = ui();
    const page = await signIn();
    await page.getByRole("link", { name: "Deny" }).click();
    await page.getByText("Winnow was not signed in to vault").waitFor();
    await page.close();
    await workbench.notification(/refused: access_denied: the person said no/).waitFor();
    await editor.screenshot("signin/denied");
  });

  test("an answer with another state counts for nothing, and the right one brings the tools", async () => {
    const { editor, workbench } = ui();
    const page = await signIn();
    const redirect = new URL(page.url()).searchParams.get("redirect_uri") ?? "";
    assert.match(redirect, /\/proxy\/\d+\/callback$/); // through code-server, as a browser elsewhere needs it
    const stolen = await fetch(`${redirect}?code=stolen&state=guessed`);
    assert.equal(stolen.status, 400);
    assert.match(await stolen.text(), /not an answer to a sign-in that Winnow has asked for/);
    await page.getByRole("link", { name: "Allow" }).click();
    await page.getByText("Winnow is signed in to vault").waitFor();
    await page.close();
    await workbench.treeRow(/^vault1 tool/).waitFor();
    await editor.screenshot("signin/signed-in");
    assert.equal(vault.accounts.tokens.length, 1);
  });

  test("the token outlives the daemon, and stands in no file", async () => {
    const { editor, workbench, workspace } = ui();
    await workbench.command("Winnow: Restart Daemon");
    await until("the server to be ready again", async () => {
      const ready = (await editor.profile.tails()).match(/MCP server is ready/g);
      return (ready?.length ?? 0) >= 2;
    });
    await workbench.treeRow(/^vault1 tool/).waitFor();
    const [token] = vault.accounts.tokens;
    assert.equal(vault.accounts.tokens.length, 1, "it was asked for again");
    assert.equal((await filesWith(vault.url, workspace.dir)).length, 1, "the search finds what is there");
    assert.deepEqual(await filesWith(token ?? assert.fail(), editor.profile.dir, workspace.dir), []);
  });
});
