import { escapeMarkdown, excerpt } from "../../base/format";
import type { Row, TaskRow, TaskSummary } from "../../protocol/protocol.gen";
import type { RoutedTask } from "../../window/sessions";

/** Facts about a task that only this window has. */
export type TaskFacts = Pick<RoutedTask, "title" | "model">;

/** Reports whether tools can be added to a task: not if it has all of them, or is only observed. */
export function takesTools({ routing, shadow, past }: TaskSummary): boolean {
  return routing !== "all" && shadow !== true && past !== true;
}

/** Returns the name of a task: its first words, or its place in the list. */
export function taskLabel({ texts, title }: TaskRow, facts: TaskFacts | undefined): string {
  return facts?.title ?? title ?? texts.row.label;
}

/** Returns the tasks as choices, the newest first. */
export function taskChoices(tasks: readonly TaskRow[], sessions: { of: (task: string) => TaskFacts | undefined }) {
  return tasks.map((each) => ({ id: each.task, label: taskLabel(each, sessions.of(each.task)) })).reverse();
}

/** The length of a title in a row, which leaves room for the counts, also in a window of 820 pixels. */
const labelLength = 15;

/** Returns the row of a task, with the name and the model that only this window has. */
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
