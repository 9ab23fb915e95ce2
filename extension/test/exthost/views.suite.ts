// What the views can be asked for without a mouse: commands, settings, completion.
import { suite, suiteSetup, test } from "mocha";
import assert from "node:assert/strict";
import { homedir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { until } from "./api";
import { winnowFile } from "./winnowfile";

interface Manifest {
  contributes: {
    commands: { command: string; title: string; category?: string }[];
    walkthroughs: { id: string; steps: { id: string; media: { svg: string } }[] }[];
  };
}

function manifest(): Manifest {
  const extension = vscode.extensions.getExtension("winnow-mcp.winnow");
  assert.ok(extension !== undefined);
  return extension.packageJSON as Manifest;
}

suite("views", () => {
  suiteSetup(() => vscode.extensions.getExtension("winnow-mcp.winnow")?.activate());

  test("every command that is declared is registered, and of our category", async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    for (const { command, category } of manifest().contributes.commands) {
      assert.ok(known.has(command), `${command} is declared and not registered`);
      assert.equal(category, "Winnow", command);
    }
  });

  test("every picture of the walkthrough is there", async () => {
    const extension = vscode.extensions.getExtension("winnow-mcp.winnow");
    assert.ok(extension !== undefined);
    for (const step of manifest().contributes.walkthroughs.flatMap(({ steps }) => steps)) {
      await vscode.workspace.fs.stat(vscode.Uri.joinPath(extension.extensionUri, step.media.svg));
    }
  });

  test("routing goes off and on where it is set, also where turns were set to 0", async () => {
    const { Workspace } = vscode.ConfigurationTarget;
    const configuration = () => vscode.workspace.getConfiguration("winnow");
    const at = () => configuration().inspect<boolean>("enabled");
    await configuration().update("enabled", true, Workspace);
    try {
      await vscode.commands.executeCommand("winnow.toggleRouting");
      assert.equal(at()?.workspaceValue, false);
      assert.equal(at()?.globalValue, undefined);
      await configuration().update("searchTurns", 0, Workspace);
      await vscode.commands.executeCommand("winnow.toggleRouting");
      assert.equal(at()?.workspaceValue, true);
      assert.equal(configuration().inspect("searchTurns")?.workspaceValue, undefined);
    } finally {
      await configuration().update("enabled", undefined, Workspace);
      await configuration().update("searchTurns", undefined, Workspace);
    }
  });

  test("shadow mode is switched where it is set", async () => {
    const at = () => vscode.workspace.getConfiguration("winnow").inspect<boolean>("shadow");
    await vscode.commands.executeCommand("winnow.toggleShadow");
    assert.equal(at()?.globalValue, true);
    await vscode.commands.executeCommand("winnow.toggleShadow");
    assert.equal(at()?.globalValue, undefined, "what is the default is not left behind");
  });

  test("names are completed in the workspace's winnow.json, and mistakes are marked", async () => {
    // Rules for a server of the user's own: what the workspace's file starts waits for a yes.
    const put = await winnowFile(({ memory = {} }) => ({ servers: { notebook: memory } }));
    try {
      await completed(vscode.Uri.joinPath(folder().uri, ".vscode", "winnow.json"), {});
    } finally {
      await put();
    }
  });

  test("and so they are in the user's own", async () => {
    const config = process.env["XDG_CONFIG_HOME"] ?? path.join(homedir(), ".config");
    const entry = { command: "node", args: [await memoryServer()] };
    await completed(vscode.Uri.file(path.join(config, "winnow", "winnow.json")), entry);
  });
});

/** Writes one of Winnow's files with an entry for the server notebook, and looks at what an editor of it offers and marks. */
async function completed(file: vscode.Uri, entry: object): Promise<void> {
  const text = `{
  "servers": {
    "notebook": ${JSON.stringify({ ...entry, disabledTools: [""] }).replaceAll('":', '": ')}
  },
  "modes": { "review": { "blockedMcpServers": [""], "wrong": 1 } }
}
`;
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  try {
    const document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document);
    assert.equal(document.languageId, "jsonc");
    const complete = async (before: string) => {
      const position = document.positionAt(document.getText().indexOf(before) + before.length);
      const list = await vscode.commands.executeCommand<vscode.CompletionList>(
        "vscode.executeCompletionItemProvider",
        document.uri,
        position,
      );
      return list.items.map(({ label }) => (typeof label === "string" ? label : label.label));
    };
    await until("the tools of the server", async () =>
      (await complete('"disabledTools": ["')).includes("create_entities"),
    );
    assert.ok((await complete('"blockedMcpServers": ["')).includes("notebook"));
    await until("the schema to find the mistake", () =>
      vscode.languages.getDiagnostics(document.uri).some(({ message }) => message.includes("wrong")),
    );
  } finally {
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await vscode.workspace.fs.delete(file);
  }
}

/** The folder that is open. */
function folder(): vscode.WorkspaceFolder {
  return vscode.workspace.workspaceFolders?.[0] ?? assert.fail("no folder is open");
}

/** The server's file, as the workspace's mcp.json names it. */
async function memoryServer(): Promise<string> {
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder().uri, ".vscode", "mcp.json"));
  const { servers } = JSON.parse(new TextDecoder().decode(bytes)) as { servers: { memory: { args: string[] } } };
  return servers.memory.args[0] ?? "";
}
