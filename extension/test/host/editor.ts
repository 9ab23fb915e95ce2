// A real VS Code with a throw-away profile, open in Chromium.
import { appendFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { type Browser, type Page, chromium } from "playwright-core";
import type { Prepared } from "./prepared";
import { Profile, type Seeds } from "./profile";
import { seed } from "./seed";
import { CodeServer } from "./server";

/** How an editor is opened. */
export interface EditorOptions extends Seeds {
  prepared: Prepared;
  /** strict, unless said otherwise: plain allows every proposed API, which no user's VS Code does. */
  flavour?: "strict" | "plain";
  /** The files of the extensions to install. */
  vsix: string[];
  /** The folder to open, or a .code-workspace file. */
  workspace: string;
  /** More environment, for the extension host and all it starts. */
  env?: Record<string, string>;
  /** The folders of an extension under development and of the tests to run in the extension host. */
  development?: { extension: string; tests?: string };
  /** Whether VS Code asks before it trusts a folder; by default it trusts all. */
  workspaceTrust?: boolean;
  /** Whether notifications pop up; by default they wait behind the bell. Not together with development. */
  notifications?: boolean;
}

/** What moves would be drawn by the processor, on which all else runs too. */
const calm = { "workbench.reduceMotion": "on" };

/** Where pictures go, from the root. */
const screens = path.join("out", "screens");

/** An open editor. */
export class Editor {
  private constructor(
    readonly page: Page,
    readonly profile: Profile,
    /** Resolves with the exit code of the tests that run in the extension host. */
    readonly tested: Promise<number>,
    private readonly browser: Browser,
    private server: CodeServer,
    private readonly options: EditorOptions,
  ) {}

  /** Starts a VS Code and opens it. The workbench may still be loading. */
  static async open(options: EditorOptions): Promise<Editor> {
    const { prepared } = options;
    const profile = await Profile.create({ ...options, settings: { ...calm, ...options.settings } });
    let server: CodeServer | undefined;
    let browser: Browser | undefined;
    try {
      server = await startServer(options, profile);
      browser = await launch(prepared.chromium);
      const page = await newPage(browser, profile);
      await seedStorage(page, server.url);
      const tested = new Promise<number>((resolve, reject) => {
        page.exposeFunction("codeAutomationExit", resolve).catch(reject);
        const ended = () => reject(new Error("the editor's page ended before its tests did"));
        page.on("close", ended);
        page.on("crash", ended);
      });
      tested.catch(() => undefined); // most editors run no tests
      // The workbench's own noise, of the extension host too.
      await page.exposeFunction("codeAutomationLog", (type: string, args: unknown[]) =>
        appendFileSync(profile.log("page.log"), `[${type}] ${args.join(" ")}\n`),
      );
      await page.goto(address(server.port, options));
      return new Editor(page, profile, tested, browser, server, options);
    } catch (err) {
      await browser?.close();
      await server?.stop();
      await profile.remove();
      throw err;
    }
  }

  /** Ends VS Code and starts it again on the same profile, and opens it. Nothing is installed again. */
  async restart(): Promise<void> {
    await this.server.stop();
    this.server = await startServer({ ...this.options, vsix: [] }, this.profile);
    await seedStorage(this.page, this.server.url);
    await this.page.goto(address(this.server.port, this.options));
  }

  /** Opens the same workspace in another window. The workbench may still be loading. */
  async another(): Promise<Page> {
    const page = await newPage(this.browser, this.profile);
    await seedStorage(page, this.server.url);
    await page.goto(address(this.server.port, this.options));
    return page;
  }

  /** Takes a picture, or one of a part: out/screens/<name>.png. What moves is at its end. */
  async screenshot(name: string, clip?: { x: number; y: number; width: number; height: number }): Promise<void> {
    const file = path.join(screens, `${name}.png`);
    await mkdir(path.dirname(file), { recursive: true });
    await this.page.screenshot({ path: file, animations: "disabled", ...(clip !== undefined && { clip }) });
  }

  /**
   * Closes it and deletes its profile.
   *
   * @throws Error when a process would have been left behind
   */
  async close(): Promise<void> {
    try {
      await this.browser.close();
      await this.server.stop();
    } finally {
      await this.profile.remove();
    }
  }
}

function startServer(options: EditorOptions, profile: Profile): Promise<CodeServer> {
  const { prepared, flavour = "strict" } = options;
  return CodeServer.start({ ...options, node: prepared.host.node, entry: prepared.host[flavour], profile });
}

/** Starts a Chromium. */
export async function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // No sandbox: it needs kernel features that root in a container lacks, and only our own pages are opened.
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  });
}

/**
 * Gives the page a desktop whose high contrast a test can switch: Chromium's own
 * emulation would also paint over the colours of VS Code's theme.
 */
const desktopContrast = `{
  const contrast = Object.assign(new EventTarget(), { matches: false, media: "(forced-colors: active)" });
  const real = window.matchMedia.bind(window);
  window.matchMedia = (query) => (query === contrast.media ? contrast : real(query));
  window.setDesktopContrast = (on) => {
    contrast.matches = on;
    contrast.dispatchEvent(new Event("change"));
  };
}`;

async function newPage(browser: Browser, profile: Profile): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
  const page = await context.newPage();
  page.setDefaultNavigationTimeout(120_000); // VS Code's page loads more than 30 s on a busy machine
  await page.addInitScript(desktopContrast);
  page.on("pageerror", (err) => appendFileSync(profile.log("page.log"), `[pageerror] ${err.stack ?? err.message}\n`));
  // Nothing of the world outside, such as the extension gallery.
  await page.route(
    (url) => url.hostname !== "127.0.0.1" && url.protocol.startsWith("http"),
    (route) => route.abort(),
  );
  return page;
}

/** Writes what VS Code must find in the browser's storage; see {@link seed}. */
async function seedStorage(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/healthz`);
  await page.evaluate(seed);
}

/** The address that opens the workspace, and in it what is under development. */
function address(port: number, { workspace, development }: EditorOptions): string {
  const remote = (file: string) => `vscode-remote://127.0.0.1:${port}${file}`;
  const payload = [["skipWelcome", "true"]];
  if (development !== undefined) {
    payload.push(["extensionDevelopmentPath", remote(development.extension)]);
    if (development.tests !== undefined) payload.push(["extensionTestsPath", remote(development.tests)]);
  }
  const kind = workspace.endsWith(".code-workspace") ? "workspace" : "folder";
  const query = new URLSearchParams({ [kind]: workspace, payload: JSON.stringify(payload) });
  return `http://127.0.0.1:${port}/?${query.toString()}`;
}
