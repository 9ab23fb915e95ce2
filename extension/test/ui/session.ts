// What each UI suite begins with and ends with.
import { after, afterEach, before } from "node:test";
import { Editor, type EditorOptions } from "../host/editor";
import { prepared } from "../host/prepared";
import { Workbench, themes } from "../host/workbench";
import { type Workspace, makeWorkspace } from "../host/workspace";
import { say } from "../scripted-model/script";
import { ScriptServer } from "../scripted-model/server";

/** What a suite's tests hold: a VS Code with Winnow and the scripted model. */
export interface Session {
  editor: Editor;
  workbench: Workbench;
  /** What the model answers, and what it was asked. */
  script: ScriptServer;
  workspace: Workspace;
}

/** How a suite's editor differs from the usual one. */
export type SessionOptions = Partial<
  Pick<EditorOptions, "settings" | "files" | "env" | "workspaceTrust" | "notifications">
> & {
  /** Changes the workspace before it is opened, and may name what to open instead of its folder: a .code-workspace file. */
  arrange?: (workspace: Workspace) => Promise<unknown>;
};

/**
 * Opens an editor before the tests of the surrounding suite and closes it after
 * them. A test that fails leaves a picture in out/screens, and prints the logs.
 *
 * @returns the session, for use inside the tests
 */
export function session(options: SessionOptions = {}): () => Session {
  let session: Session | undefined;
  before(async () => (session = await open(options)));
  afterEach(async (test) => {
    if (session === undefined || !("passed" in test) || test.passed) return;
    await session.editor.screenshot(`failed/${test.name.replaceAll(/\W+/g, "-")}`);
    console.log(await session.editor.profile.tails());
  });
  after(async () => {
    await session?.script.close();
    try {
      await session?.editor.close();
    } finally {
      await session?.workspace.remove();
    }
  });
  return () => {
    if (session === undefined) throw new Error("the session is there inside the tests only");
    return session;
  };
}

/**
 * Takes a picture in each kind of theme: out/screens/<name>-<theme>.png. What is open stays open. In CI, where nobody
 * looks at them, in the light one only: to change the theme takes longer than most tests.
 */
export async function pictures({ editor, workbench }: Session, name: string): Promise<void> {
  if (process.env["CI"] !== undefined) return editor.screenshot(`${name}-light`);
  for (const theme of themes) {
    await workbench.theme(theme);
    await editor.screenshot(`${name}-${theme}`);
  }
  await workbench.theme("light");
}

async function open({ arrange, env, ...options }: SessionOptions): Promise<Session> {
  const things = prepared();
  const workspace = await makeWorkspace();
  const instead = await arrange?.(workspace);
  const script = await ScriptServer.start(() => [say("Nobody told me what to say.")]);
  const editor = await Editor.open({
    ...options,
    prepared: things,
    vsix: [things.vsix, things.modelVsix],
    workspace: typeof instead === "string" ? instead : workspace.folder,
    env: { ...env, WINNOW_SCRIPT_URL: script.url },
  }).catch(async (err: unknown) => {
    await script.close(); // which would keep this process from ending
    throw err;
  });
  const workbench = new Workbench(editor.page);
  await workbench.loaded();
  await workbench.started();
  return { editor, workbench, script, workspace };
}
