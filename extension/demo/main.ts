// The demo that npm start runs: see help in options.ts.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ShowMessage } from "../src/protocol/protocol.gen";
import { Daemon } from "./daemon";
import { DemoError, explain } from "./errors";
import type { DemoEvent } from "./events";
import { renderDocument } from "./json";
import { type Options, help, parseOptions } from "./options";
import { scenario } from "./scenario";
import { layoutFor, render } from "./text";
import { Waiting } from "./waiting";
import { createWorkspace } from "./workspace";

/** How long the whole demo may take, in milliseconds. */
const deadline = 120_000;

/** The root of the checkout, from the bundle in out/demo. */
const checkout = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Runs the demo and calls report for what happens. */
async function run(options: Options, abort: AbortSignal, report: (event: DemoEvent) => void): Promise<void> {
  // Shared servers would outlive the demo. The editor that it opens inherits this.
  process.env["WINNOW_SHARE"] = "off";
  process.stderr.write("starting winnowd\n");
  const workspace = await createWorkspace(checkout);
  try {
    const program = process.platform === "win32" ? "winnowd.exe" : "winnowd";
    const daemon = new Daemon(path.join(checkout, "extension", "bin", program), abort);
    daemon.on(ShowMessage, ({ type, message, next }) =>
      process.stderr.write(`${type}: ${message}${next === undefined ? "" : ` ${next}`}\n`),
    );
    try {
      for await (const event of scenario(daemon, workspace, options)) report(event);
    } catch (err) {
      if (!abort.aborted) process.stderr.write(daemon.log.map((line) => `${line}\n`).join(""));
      throw err;
    } finally {
      await daemon.close();
    }
  } finally {
    await workspace.remove();
  }
}

/** A signal that ends the demo on Ctrl-C, SIGTERM, a closed terminal or after the deadline. */
function endSignal(waiting: Waiting): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // npm passes a Ctrl-C on that the terminal has sent us already.
    process.on(signal, () => controller.abort(new DemoError(`ended by ${signal}`)));
  }
  const late = () => controller.abort(new DemoError(`not done after ${deadline / 1000} seconds: ${waiting.text}`));
  setTimeout(late, deadline).unref();
  return controller.signal;
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(help);
    return;
  }
  const events: DemoEvent[] = [];
  const waiting = new Waiting((line) => process.stderr.write(`${line}\n`));
  const layout = layoutFor(process.stdout, process.env);
  try {
    await run(options, endSignal(waiting), (event) => {
      waiting.note(event);
      if (event.kind === "waiting") return;
      events.push(event);
      if (!options.json) process.stdout.write(render(event, layout));
    });
    if (options.json) process.stdout.write(renderDocument(events));
  } catch (err) {
    if (options.json) process.stdout.write(renderDocument(events, explain(err)));
    throw err;
  }
}

main().catch((err: unknown) => {
  process.stderr.write(`npm start: ${explain(err)}\n`);
  process.exitCode = 1;
});
