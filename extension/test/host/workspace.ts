// A throw-away folder to open in the editor: a few notes, and the MCP servers
// that a user of VS Code may have.
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A folder on disk. */
export interface Workspace {
  /** Holds the folder, and whatever else a test keeps. */
  dir: string;
  /** The folder to open. */
  folder: string;
  /** Deletes all of it. */
  remove: () => Promise<void>;
}

/** The notes that the workspace holds, by file name. */
export const notes = {
  "garden.md": "# Garden\n\nSow the beans in May. The compost is behind the shed.\n",
  "espresso.md": "# Espresso\n\n18 g in, 36 g out, 27 seconds.\n",
};

/** Makes a workspace. */
export async function makeWorkspace(): Promise<Workspace> {
  // The real path, as VS Code shows it and servers compare it.
  const dir = await realpath(await mkdtemp(path.join(tmpdir(), "winnow-workspace-")));
  const folder = path.join(dir, "notes");
  await mkdir(path.join(folder, ".vscode"), { recursive: true });
  for (const [name, text] of Object.entries(notes)) await writeFile(path.join(folder, name), text);
  await writeFile(
    path.join(folder, ".vscode", "mcp.json"),
    JSON.stringify({ servers: servers(dir, folder) }, undefined, 2),
  );
  return { dir, folder, remove: () => rm(dir, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Real MCP servers from npm, as .vscode/mcp.json names them. They come from our own node_modules, so nothing is fetched. */
function servers(dir: string, folder: string) {
  const server = (name: string, ...args: string[]) => ({
    type: "stdio",
    command: "node",
    args: [path.resolve("node_modules", "@modelcontextprotocol", `server-${name}`, "dist", "index.js"), ...args],
  });
  return {
    everything: server("everything"),
    filesystem: server("filesystem", folder),
    memory: { ...server("memory"), env: { MEMORY_FILE_PATH: path.join(dir, "memory.jsonl") } },
  };
}

/** Leaves three servers in .vscode/mcp.json, with more tools than VS Code shows a model at once. Neither opens a browser before it is told to. */
export async function threeServers({ folder }: Workspace): Promise<void> {
  const file = path.join(folder, ".vscode", "mcp.json");
  const { servers } = JSON.parse(await readFile(file, "utf8")) as { servers: Record<string, unknown> };
  const server = (...module: string[]) => ({
    type: "stdio",
    command: "node",
    args: [path.resolve("node_modules", ...module), "--headless"],
  });
  const three = {
    filesystem: servers["filesystem"],
    playwright: server("@playwright", "mcp", "cli.js"),
    devtools: server("chrome-devtools-mcp", "build", "src", "bin", "chrome-devtools-mcp.js"),
  };
  await writeFile(file, JSON.stringify({ servers: three }, undefined, 2));
}

/**
 * A server of so many tools, whose names begin with a word. Each has a description, and most have parameters, some as VS
 * Code's agent does not offer them. The last is the dearest.
 */
export async function manyTools({ dir }: Workspace, count: number, word: string) {
  const properties = { name: { type: "string" }, limit: { type: "integer", description: "At most so many." } };
  const schemas = [
    { type: "object", properties },
    { type: "object", properties, required: ["name"], additionalProperties: false },
    { type: "object" },
    { type: "object", properties, anyOf: [{ required: ["name"] }, { required: ["limit"] }] },
  ];
  const things = ["garden", "kitchen", "bridge"];
  const tools = Array.from({ length: count }, (_, i) => ({
    name: `${word}_${String(i).padStart(4, "0")}`,
    description: `Does thing number ${i} of the ${things[i % 3]}, by its name or its number.${i === count - 1 ? " It is dear.".repeat(40) : ""}`,
    inputSchema: schemas[i % 4],
  }));
  const file = path.join(dir, `${word}.json`);
  await writeFile(file, JSON.stringify(tools));
  return { command: "node", args: [path.resolve("extension", "test", "servers", "changing.mjs"), file] };
}

/** Leaves twelve servers with more than 500 tools in .vscode/mcp.json: the three that were there, and nine with 52 tools each. */
export async function twelveServers(workspace: Workspace): Promise<void> {
  const file = path.join(workspace.folder, ".vscode", "mcp.json");
  const { servers } = JSON.parse(await readFile(file, "utf8")) as { servers: Record<string, unknown> };
  for (const word of ["apiary", "bakery", "cellar", "dairy", "ferry", "forge", "loom", "orchard", "quarry"]) {
    servers[word] = { type: "stdio", ...(await manyTools(workspace, 52, word)) };
  }
  await writeFile(file, JSON.stringify({ servers }, undefined, 2));
}

/** The names of the custom agents that {@link customAgents} leaves. */
export const agents = ["Gardener", "Cook"] as const;

/**
 * Leaves custom agents of VS Code's in .github/agents. They are there before it starts: whether it sees a folder that
 * comes later is left to chance.
 */
export async function customAgents({ folder }: Workspace): Promise<void> {
  const dir = path.join(folder, ".github", "agents");
  await mkdir(dir, { recursive: true });
  for (const name of agents) {
    const text = `---\nname: ${name}\ndescription: For the tests.\n---\nAnswer as a ${name} does.\n`;
    await writeFile(path.join(dir, `${name}.agent.md`), text);
  }
}
