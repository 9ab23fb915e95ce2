import path from "node:path";

/** An entry of `servers` in winnow.json. */
export interface ServerEntry {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/**
 * The real servers of the demo, from npm, at the versions of package-lock.json.
 * None needs an account, a network or, until one of its tools is called, a
 * browser.
 *
 * @param modules the absolute path of node_modules.
 * @param workspace the folder that is open, and the one where servers keep what they know.
 */
export function demoServers(
  modules: string,
  workspace: { folder: string; storage: string },
): Record<string, ServerEntry> {
  const npm = (file: string, ...args: string[]): ServerEntry => ({
    command: process.execPath,
    args: [path.join(modules, ...file.split("/")), ...args],
  });
  return {
    everything: npm("@modelcontextprotocol/server-everything/dist/index.js", "stdio"),
    filesystem: npm("@modelcontextprotocol/server-filesystem/dist/index.js", workspace.folder),
    memory: {
      ...npm("@modelcontextprotocol/server-memory/dist/index.js"),
      env: { MEMORY_FILE_PATH: path.join(workspace.storage, "memory.jsonl") },
    },
    "sequential-thinking": npm("@modelcontextprotocol/server-sequential-thinking/dist/index.js"),
    playwright: npm(
      "@playwright/mcp/cli.js",
      "--headless",
      "--isolated",
      "--caps=vision,pdf,devtools,network,storage,testing,config",
    ),
    "chrome-devtools": npm(
      "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js",
      "--headless",
      "--isolated",
      "--no-usage-statistics",
      "--no-performance-crux",
    ),
  };
}
