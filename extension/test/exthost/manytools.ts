// What the suites that measure share: 500 tools, and the memory of a process.
import { readFile } from "node:fs/promises";
import type { HostTool } from "../../api/winnow";

/** How many tools there are. */
export const count = 500;

const verbs = ["read", "create", "delete", "search", "list", "update", "send", "export", "import", "merge"];
const things = ["file", "issue", "message", "page", "table", "branch", "image", "contact", "event", "invoice"];

/** Tools as servers have them: a description, and three parameters. */
export const tools: HostTool[] = Array.from({ length: count }, (_, i) => {
  const [verb, thing] = [verbs[i % 10] ?? "", things[Math.floor(i / 10) % 10] ?? ""];
  return {
    server: `server${Math.floor(i / 50)}`,
    name: `${verb}_${thing}_${i}`,
    description: `Use it to ${verb} one ${thing} of the workspace, by its name or its number, with a limit and a filter.`,
    inputSchema: {
      type: "object",
      properties: { name: { type: "string" }, limit: { type: "integer" }, filter: { type: "string" } },
    },
  };
});

/** The memory of a process that is in RAM, in MB. */
export async function residentMB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
