// An agent extension that has Winnow choose the tools of its tasks.
import * as vscode from "vscode";
import type { Task, ToolDescription, WinnowExports } from "./winnow";

/** Lets a model work on the user's words with the tools that Winnow attaches. */
export async function work(words: string, model: Model, ask: Confirm): Promise<string> {
  const extension = vscode.extensions.getExtension<WinnowExports>("winnow-mcp.winnow");
  if (extension === undefined) throw new Error("Install the extension Winnow first.");
  const winnow = (await extension.activate()).getApi(1);

  const task = await winnow.open({ message: words, model: { contextTokens: 200_000 } });
  try {
    const messages: unknown[] = [{ role: "user", content: words }];
    for (;;) {
      // Anew in each round: a call may have attached more.
      const { tools, metaTools } = task.attachment;
      const answer = await model(messages, [...tools, ...metaTools]);
      if (answer.call === undefined) return answer.text;
      messages.push(answer, await run(task, answer.call.name, answer.call.args, ask));
    }
  } finally {
    await task.close(); // or keep task.attachment.state, and resume it for the next message
  }
}

/** Makes a call, when it only reads or the user agrees. */
async function run(task: Task, name: string, args: object, ask: Confirm): Promise<unknown> {
  const what = await task.describeCall(name, args);
  const free = what.meta || what.readOnly || what.approved;
  if (!free && !(await ask(`Run ${what.tool ?? name} of ${what.server ?? "?"}?`))) return "The user declined.";
  return (await task.call(name, args)).content;
}

/** The model of this example: it answers with a text, or with a call. */
export type Model = (
  messages: unknown[],
  tools: ToolDescription[],
) => Promise<{ text: string; call?: { name: string; args: object } }>;

/** Asks the user. */
export type Confirm = (question: string) => Promise<boolean>;
