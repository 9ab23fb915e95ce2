// A throw-away folder to open in the editor: a few notes, and the MCP servers
// that a user of VS Code may have.
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A folder on disk. */
export interface Workspace {
  /** Holds the folder, and whatever else a test keeps. */
  dir: string;
  /** The folder to open. */
  folder: string;
}

/** The notes that the workspace holds, by file name. */
export const notes = {
  "garden.md": "# Garden\n\nSow the beans in May. The compost is behind the shed.\n",
  "espresso.md": "# Espresso\n\n18 g in, 36 g out, 27 seconds.\n",
};

/** Makes a workspace, runs a function with it, deletes it and returns what the function did. */
export async function withWorkspace<T>(run: (workspace: Workspace) => Promise<T>): Promise<T> {
  const dir = await realpath(await mkdtemp(path.join(tmpdir(), "winnow-workspace-")));
  const remove = () => rm(dir, { recursive: true, force: true, maxRetries: 5 });
  try {
    const folder = path.join(dir, "notes");
    await mkdir(path.join(folder, ".vscode"), { recursive: true });
    for (const [name, text] of Object.entries(notes)) await writeFile(path.join(folder, name), text);
    await writeFile(
      path.join(folder, ".vscode", "mcp.json"),
      JSON.stringify({ servers: servers(folder) }, undefined, 2),
    );
    return await run({ dir, folder });
  } finally {
    await remove();
  }
}

/** Real MCP servers from npm, as .vscode/mcp.json names them. They come from our own node_modules, so nothing is fetched. */
function servers(folder: string) {
  const npm = (name: string, file: string, ...args: string[]) => ({
    type: "stdio",
    command: "node",
    args: [path.resolve("node_modules", name, file), ...args],
  });
  const official = (name: string, ...args: string[]) =>
    npm(`@modelcontextprotocol/server-${name}`, "dist/index.js", ...args);
  return {
    everything: official("everything"),
    filesystem: official("filesystem", folder),
    memory: official("memory"),
  };
}
