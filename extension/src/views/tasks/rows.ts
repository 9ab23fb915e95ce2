import { escapeMarkdown, excerpt } from "../../base/format";
import type { Row, TaskRow, TaskSummary } from "../../protocol/protocol.gen";
import type { RoutedTask } from "../../window/sessions";

/** What only this window knows of a task. */
export type TaskFacts = Pick<RoutedTask, "title" | "model">;

/** Whether a person can give a task a tool: one that has all of them needs none, and one that is only watched gets none. */
export function takesTools({ routing, shadow, past }: TaskSummary): boolean {
  return routing !== "all" && shadow !== true && past !== true;
}

/** The name of a task: its first words, or its place in the list. */
export function taskLabel({ texts, title }: TaskRow, facts: TaskFacts | undefined): string {
  return facts?.title ?? title ?? texts.row.label;
}

/** The tasks as a list to choose from, the newest first. */
export function taskChoices(tasks: readonly TaskRow[], sessions: { of: (task: string) => TaskFacts | undefined }) {
  return tasks.map((each) => ({ id: each.task, label: taskLabel(each, sessions.of(each.task)) })).reverse();
}

/** How much of a title a row shows, so that there is room for what was attached. */
const labelLength = 18;

/** The row of a task, with the name and the model that only this window knows. */
export function taskRow(task: TaskRow, facts: TaskFacts | undefined): Row {
  const { row } = task.texts;
  const title = taskLabel(task, facts);
  const name = facts?.model ?? task.modelName;
  const model = name === undefined ? "" : ` · ${escapeMarkdown(name)}`;
  return {
    ...row,
    label: excerpt(title, labelLength),
    tooltip: `**${escapeMarkdown(title)}**${model}\n\n${row.tooltip ?? ""}`,
    accessibility: [title, row.accessibility, ...(name === undefined ? [] : [name])].join(", "),
  };
}
