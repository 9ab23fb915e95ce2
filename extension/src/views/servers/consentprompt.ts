import * as vscode from "vscode";
import { plainMessage } from "../../base/format";
import type { Daemon } from "../../daemon/client";
import { type ConsentPrompt, ServerConsent, ServerConsentPrompt } from "../../protocol/protocol.gen";
import { attempt } from "../../window/run";
import type { Winnow } from "../../window/winnow";
import type { Store } from "../store";

/** The key of the questions asked so far. */
const askedKey = "winnow.consent.questions";

/** The most questions stored; older ones are asked again. */
const maxAsked = 500;

/** The scheme of the documents that show changes. */
const scheme = "winnow-consent";

/** Asks once about what each server starts; later, and after a no, the view Servers has the action. */
export function registerConsent(winnow: Winnow, store: Store): void {
  let asking = false;
  const { workspaceState } = winnow.context;
  const asked = () => workspaceState.get<string[]>(askedKey, []);
  const next = async () => (await winnow.daemon.request(ServerConsentPrompt, { asked: asked() })).prompt;
  const ask = async () => {
    if (asking || store.consents.length === 0) return;
    asking = true;
    try {
      // More questions may have arrived in the meantime.
      for (let prompt = await next(); prompt !== undefined; prompt = await next()) {
        await workspaceState.update(askedKey, [...asked(), ...prompt.asked].slice(-maxAsked));
        await askAbout(winnow, prompt);
      }
    } finally {
      asking = false;
    }
  };
  winnow.own(store.onDidChangeServers(() => void attempt(winnow, ask)));
  winnow.own(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: ({ query }) => query,
    }),
  );
}

/**
 * Asks a question, until it is answered or closed.
 *
 * @param modal asks in a dialog, for a user who requested the question
 */
export async function askAbout(winnow: Winnow, prompt: ConsentPrompt, modal = false): Promise<void> {
  const allow = "Allow";
  const deny = "Don't Allow";
  const choose = "Choose…";
  const { text, show, files, changes, choices = [] } = prompt;
  const yes = choices.length > 0 ? choose : allow;
  const chosen = await vscode.window.showInformationMessage(plainMessage(text), { modal }, yes, deny, show);
  if (chosen === choose) await answerEach(winnow.daemon, prompt, choices);
  if (chosen === allow || chosen === deny) await answer(winnow.daemon, prompt, () => chosen === allow);
  if (chosen !== show) return;
  if (changes !== undefined) await showChanges(changes);
  else for (const file of files) await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
  await askAbout(winnow, prompt); // beside the shown content
}

/** Lists what each server would start; ticked ones may run, others not. Closing it decides nothing. */
async function answerEach(
  daemon: Daemon,
  prompt: ConsentPrompt,
  choices: NonNullable<ConsentPrompt["choices"]>,
): Promise<void> {
  const items = choices.map((choice, index) => ({ ...choice, index }));
  const title = prompt.choose ?? "";
  const ticked = await vscode.window.showQuickPick(items, { title, canPickMany: true, ignoreFocusOut: true });
  if (ticked === undefined) return;
  const allowed = new Set(ticked.map(({ index }) => index));
  await answer(daemon, prompt, (index) => allowed.has(index));
}

/**
 * Sends a decision for each shown server only: the daemon refuses a yes to what has changed since.
 *
 * @throws Error the first refusal, after all decisions were sent
 */
async function answer(daemon: Daemon, { answers }: ConsentPrompt, allow: (index: number) => boolean): Promise<void> {
  const refused: unknown[] = [];
  for (const [index, each] of answers.entries()) {
    await daemon.request(ServerConsent, { ...each, allow: allow(index) }).catch((err: unknown) => refused.push(err));
  }
  if (refused.length > 0) throw refused[0];
}

/** Shows the allowed content beside the current one. */
async function showChanges({ title, before, after }: NonNullable<ConsentPrompt["changes"]>): Promise<void> {
  const document = (name: string, text: string) => vscode.Uri.from({ scheme, path: `/${name}`, query: text });
  const [allowed, now] = [document("as allowed", before), document("as it is now", after)];
  await vscode.commands.executeCommand("vscode.diff", allowed, now, title);
}
