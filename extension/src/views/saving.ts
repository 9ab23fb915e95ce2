// What routing saves and gives, in words. Pure.

import type { TaskSummary, UsedTools, WeekSavings } from "../protocol.gen";
import { count, formatTokens } from "./format";

/** What a task's tokens are compared with: what VS Code would send by itself where it has said so, or else all. */
export type Compared = Pick<TaskSummary, "client" | "tokens" | "shadow">;

/** "saves 3.1k", "costs 300 more", or nothing. Short, for the status bar. */
export function savingShort({ tokens: { clientSaved }, shadow }: Compared): string {
  const size = formatTokens(Math.abs(clientSaved));
  if (clientSaved === 0) return "";
  if (clientSaved < 0) return shadow === true ? `would cost ${size} more` : `costs ${size} more`;
  return shadow === true ? `would save ${size}` : `saves ${size}`;
}

/** "3.1k tokens fewer than VS Code by itself", or nothing. */
export function savingWords({ client = false, tokens: { clientSaved } }: Compared): string {
  if (clientSaved === 0) return "";
  const than = client ? "VS Code by itself" : "all of them";
  return `${formatTokens(Math.abs(clientSaved))} tokens ${clientSaved > 0 ? "fewer" : "more"} than ${than}`;
}

/** Both comparisons, each in a sentence. */
export function savingSentences({ client: known = false, tokens, shadow }: Compared): string[] {
  const { attached, client, all } = tokens;
  const carry = shadow === true ? "Its requests would carry" : "Its requests carry";
  const hides = known && client !== all;
  return [
    `${carry} ${count(attached, "token")} of MCP tools.`,
    ...(hides ? [`VS Code by itself, with what it hides behind groups, sends ${count(client, "token")}.`] : []),
    `All of the tools cost ${count(all, "token")}.`,
  ];
}

/** What a task's model had at hand, besides what that costs; nothing before it has called a tool. */
export function usedWords({ called, inHand, groupCalls = 0 }: UsedTools): string {
  if (called === 0) return "";
  const hand =
    inHand === called ? (called === 1 ? "it was" : "all were") : `${inHand} ${inHand === 1 ? "was" : "were"}`;
  const avoided =
    groupCalls === 0
      ? ""
      : `; ${count(groupCalls, "call")} to open ${groupCalls === 1 ? "a group" : "groups"} of VS Code's avoided`;
  return `The model called ${count(called, "tool")}: ${hand} in hand from the start${avoided}.`;
}

/** The sums of the week; nothing before there are any. */
export function weekWords({ requests, tasks, clientSaved, saved }: WeekSavings): string {
  if (requests === 0) return "";
  const size = (tokens: number) => `${formatTokens(Math.abs(tokens))} tokens ${tokens < 0 ? "more" : "fewer"}`;
  return `This week: ${count(requests, "request")} of ${count(tasks, "task")}, ${size(clientSaved)} than the clients by themselves, ${size(saved)} than with every tool.`;
}
