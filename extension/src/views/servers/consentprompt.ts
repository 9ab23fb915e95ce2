import * as vscode from "vscode";
import type { Daemon } from "../../daemon/client";
import { type ConsentQuestion, ServerConsent } from "../../protocol.gen";
import type { Winnow } from "../../winnow";
import { attempt } from "../run";
import type { Store } from "../store";
import { compared, questionId, questionText, toAsk } from "./consent";

/** Where the questions that were asked are remembered. */
const askedKey = "winnow.consent.questions";

/** The most that are remembered: one that was asked long ago is asked again. */
const maxAsked = 500;

/** The scheme of the documents that show what has changed. */
const scheme = "winnow-consent";

/** Asks about what each server starts, once; after that, and after a no, the view Servers has the action. */
export function registerConsent(winnow: Winnow, store: Store): void {
  let asking = false;
  const { workspaceState } = winnow.context;
  const asked = () => workspaceState.get<string[]>(askedKey, []);
  const ask = async () => {
    if (asking) return;
    asking = true;
    try {
      // Others may have come while a question was on the screen.
      for (
        let [group] = toAsk(store.consents, asked());
        group !== undefined;
        [group] = toAsk(store.consents, asked())
      ) {
        await workspaceState.update(askedKey, [...asked(), ...group.map(questionId)].slice(-maxAsked));
        await askAbout(winnow, group);
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
 * Asks a question, until it has an answer or is closed.
 *
 * @param modal asks in a dialog, for a person who has asked for the question
 */
export async function askAbout(winnow: Winnow, group: readonly ConsentQuestion[], modal = false): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  const allow = "Allow";
  const deny = "Don't Allow";
  const files = [...new Set(group.map(({ file }) => file))];
  const show = first.changed === true ? "Show Changes" : files.length === 1 ? "Show File" : "Show Files";
  const text = questionText(group, (file) => vscode.workspace.asRelativePath(file));
  const chosen = await vscode.window.showInformationMessage(text, { modal }, allow, deny, show);
  if (chosen === allow || chosen === deny) await answer(winnow.daemon, group, chosen === allow);
  if (chosen !== show) return;
  if (first.changed === true) await showChanges(first);
  else for (const file of files) await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
  await askAbout(winnow, group); // now that it was seen, beside it
}

/**
 * Answers for each server that was shown, and for nothing else: the daemon refuses a yes to what has changed since.
 *
 * @throws Error the first that was refused, once all others have their answer
 */
async function answer(daemon: Daemon, group: readonly ConsentQuestion[], allow: boolean): Promise<void> {
  const refused: unknown[] = [];
  for (const { file, server, hash } of group) {
    await daemon.request(ServerConsent, { file, server, hash, allow }).catch((err: unknown) => refused.push(err));
  }
  if (refused.length > 0) throw refused[0];
}

/** Shows what was allowed beside what would start now. */
async function showChanges(question: ConsentQuestion): Promise<void> {
  const { before, after } = compared(question);
  const document = (name: string, text: string) =>
    vscode.Uri.from({ scheme, path: `/${question.server} ${name}`, query: text });
  await vscode.commands.executeCommand(
    "vscode.diff",
    document("as allowed", before),
    document("as it is now", after),
    `${question.server}: what you allowed ↔ what would start`,
  );
}
