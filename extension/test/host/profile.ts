// A throw-away home for one VS Code: its settings, its extensions, its logs.
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** What a profile begins with. */
export interface Seeds {
  /** The user's settings, above those that keep a test host quiet. */
  settings?: Record<string, unknown>;
  /** More files of the user's, by name, such as mcp.json; each is written as JSON. */
  files?: Record<string, unknown>;
}

/** The settings that keep a test host quiet. */
const quiet = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "telemetry.telemetryLevel": "off",
  // Light, dark or high contrast, as the desktop is.
  "window.autoDetectColorScheme": true,
};

/** The user's model providers: with one of them there, agent mode asks for no account. */
const models = [{ vendor: "scripted", name: "Scripted" }];

/** How much of each log a failing test prints, in lines. */
const tailLines = 40;

/** The last lines of a file that match; empty when there is none. */
async function tail(file: string, matching: RegExp): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  // VS Code repeats itself.
  const lines = [...new Set(text.split("\n").filter((line) => matching.test(line)))];
  return lines.length === 0 ? "" : `--- ${path.basename(file)}\n${lines.slice(-tailLines).join("\n")}\n`;
}

/** A profile on disk. */
export class Profile {
  private constructor(
    /** The folder that holds all of it, and TMPDIR. */
    readonly dir: string,
  ) {}

  /** Makes one in the system's folder for temporary files. */
  static async create(seeds: Seeds): Promise<Profile> {
    const profile = new Profile(await mkdtemp(path.join(tmpdir(), "winnow-host-")));
    for (const folder of ["home", "tmp", "extensions", "user/User"]) {
      await mkdir(path.join(profile.dir, folder), { recursive: true });
    }
    const files = {
      "chatLanguageModels.json": models,
      ...seeds.files,
      "settings.json": { ...quiet, ...seeds.settings },
    };
    for (const [name, value] of Object.entries(files)) {
      await writeFile(path.join(profile.dir, "user", "User", name), JSON.stringify(value, undefined, 2));
    }
    await writeFile(path.join(profile.dir, "config.yaml"), "auth: none\n");
    return profile;
  }

  /** The environment of every process of this profile: nothing of the caller's but the PATH. */
  environment(more: Record<string, string> = {}): Record<string, string> {
    return {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      LANG: "C.UTF-8",
      HOME: path.join(this.dir, "home"),
      TMPDIR: path.join(this.dir, "tmp"),
      WINNOW_SHARE: process.env["WINNOW_TEST_SHARE"] ?? "off", // no process outlives its editor
      ...more,
    };
  }

  /** The arguments by which code-server finds it. */
  arguments(): string[] {
    return [
      "--config",
      path.join(this.dir, "config.yaml"),
      "--user-data-dir",
      path.join(this.dir, "user"),
      "--extensions-dir",
      path.join(this.dir, "extensions"),
    ];
  }

  /** The path of one of our own logs: server.log or page.log. */
  log(name: "server.log" | "page.log"): string {
    return path.join(this.dir, name);
  }

  /** The last lines of each log that tells why a test failed: the errors of the page and of the extension host, and all of our extensions' channels. */
  async tails(): Promise<string> {
    const logs = path.join(this.dir, "user", "logs");
    const files = await readdir(logs, { recursive: true }).catch(() => []);
    const host = files.filter((file) => path.basename(file) === "remoteexthost.log");
    const channels = files.filter(
      (file) => file.includes("exthost") && file.includes("winnow") && file.endsWith(".log"),
    );
    return [
      await tail(this.log("page.log"), /^\[(error|pageerror)\]/),
      ...(await Promise.all(host.map((file) => tail(path.join(logs, file), / \[(error|critical)\] /)))),
      ...(await Promise.all(channels.map((file) => tail(path.join(logs, file), /./)))),
    ].join("");
  }

  /** Deletes it. Its processes must have ended. */
  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
