// The cost of routing in a request of a routed model, from VS Code's call to the request of the model behind the twin.
// The figures are printed; no time is asserted. Each routed request is followed by the same one unrouted, so that other
// load affects both. CPU time of this process and of the daemon is measured too, for busy machines; only routed
// requests use the daemon.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { Chat, openWindow } from "../../test/support/chat";
import type { DaemonClient } from "../daemon/client";
import { testDaemon } from "../../test/support/daemon";
import { answered, asked, call, listing, result, text, tool } from "../../test/support/parts";

/** How many pairs are measured, after as many that warm up. */
const pairs = 100;

const deeds = ["Reads", "Sends", "Archives", "Finds", "Deletes"];
const things = ["mail", "invoice", "recipe", "ticket", "picture", "meeting", "customer", "parcel", "garden", "note"];

for (const count of [100, 500, 1000]) {
  test(`a request with ${count} tools`, async (t) => {
    const dir = await mkdtemp(path.join(tmpdir(), "winnow-figures-"));
    const daemon = testDaemon(
      t,
      dir,
      { capabilities: { hostTools: true }, storagePath: dir },
      { logLevel: () => "warn" },
    );
    t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    await daemon.start();
    const tools = Array.from({ length: count }, (_, i) => {
      const [deed, thing] = [deeds[i % 5], things[Math.floor(i / 5) % 10]];
      return tool(`mcp_server${i % 10}_${deed}_${thing}_${i}`, `${deed} the ${thing} number ${i}.`);
    });
    const native = Array.from({ length: 20 }, (_, i) => tool(`native_${i}`));
    const window = openWindow(daemon, listing([...native, ...tools]));
    const times: Record<"routed" | "bare", number[]> = { routed: [], bare: [] };
    const used = { routed: 0, bare: 0 };
    let before = 0;
    const chats = {
      routed: new Chat(window, [...native, ...tools]),
      bare: new Chat(window, [...native, ...tools], { fromWinnow: true }),
    };
    for (let i = 0; i < 2 * pairs; i++) {
      if (i === pairs) before = await processorMs(daemon);
      for (const kind of ["routed", "bare"] as const) {
        const chat = chats[kind];
        // A message, then the steps of a turn, as the agent takes them.
        if (i % 20 === 0) chat.messages.push(asked(`send the mail about picture ${i} and find the customer`));
        else
          chat.messages.push(
            answered(text("So."), call(`c${i}`, "native_1")),
            result(`c${i}`, `line ${i}\n`.repeat(40)),
          );
        let sent = 0;
        chat.model = () => {
          sent = performance.now();
          return [text("ok")];
        };
        const [at, cpu] = [performance.now(), process.cpuUsage()];
        await chat.request();
        if (i < pairs) continue;
        times[kind].push(sent - at);
        const { user, system } = process.cpuUsage(cpu);
        used[kind] += (user + system) / 1000 / pairs;
      }
    }
    assert.equal(window.failures.length, 0);
    assert.ok(chats.routed.offered.length < chats.bare.offered.length);
    const added = times.routed.map((time, i) => time - (times.bare[i] ?? 0));
    const daemons = ((await processorMs(daemon)) - before) / pairs;
    t.diagnostic(
      `processor time of a request: ${(used.routed - used.bare).toFixed(2)} ms more here, ${daemons.toFixed(2)} ms in winnowd`,
    );
    t.diagnostic(
      `routed ${shown(times.routed)}, bare ${shown(times.bare)}, added ${shown(added)} (quartiles of ${pairs} pairs)`,
    );
  });
}

/** The processor time that a daemon has used, in milliseconds; not a number where the system does not tell. */
async function processorMs({ state }: DaemonClient): Promise<number> {
  const stat = await readFile(`/proc/${state.kind === "ready" ? state.pid : 0}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10; // ticks of a hundredth of a second
}

/** The quartiles, in milliseconds. */
function shown(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return `${[0.25, 0.5, 0.75].map((part) => sorted[Math.floor(part * sorted.length)]?.toFixed(2)).join(" / ")} ms`;
}
