// What it takes to move servers from another client's file into Winnow's own,
// and back. Texts in, texts out: nothing is written here.

import { type JSONPath, type Node, applyEdits, findNodeAtLocation, modify, parseTree } from "../jsonc/jsonc";

/** How a client writes its file. */
export interface ClientFile {
  /** The client's name. */
  client: string;
  /** The key of the file that holds the servers. */
  root: "servers" | "mcpServers";
  /** Timeouts are in milliseconds there, and in seconds in Winnow's file. */
  milliseconds?: boolean;
}

/** A file that is changed. */
export interface FileChange {
  path: string;
  /** What it holds; undefined when it is not there. */
  before: string | undefined;
  after: string;
}

/** A move that can be shown, made and undone. */
export interface ImportPlan {
  client: ClientFile;
  source: FileChange & { before: string };
  target: FileChange;
  /** The servers that are moved, with their entries as they were written. */
  servers: { name: string; entry: string }[];
  /** The ids of the inputs that were copied with them. */
  inputs: string[];
  /** What the user should know. */
  notes: string[];
}

/** What Winnow's file knows of an entry; see protocol/files.go. */
const knownKeys = new Set([
  ...["type", "command", "args", "cwd", "env", "envFile", "url", "headers", "oauth", "disabled", "timeout"],
  ...["onlyAllow", "disabledTools", "toolDescriptionOverrides", "alwaysLoad", "deferred", "deferTools", "alwaysAllow"],
]);

const formatting = { formattingOptions: { tabSize: 2, insertSpaces: true, eol: "\n" } };

/** The names of the servers in a file, in its order; none where it is broken. */
export function serversIn(text: string, { root }: ClientFile): string[] {
  const servers = nodeAt(text, [root]);
  return (servers?.children ?? []).map((property) => String(property.children?.[0]?.value ?? ""));
}

/** Plans to move servers. One that Winnow's file has by the same name stays where it is. */
export function planImport(
  client: ClientFile,
  names: readonly string[],
  source: { path: string; text: string },
  target: { path: string; text: string | undefined },
): ImportPlan {
  const plan: ImportPlan = {
    client,
    source: { path: source.path, before: source.text, after: source.text },
    target: { path: target.path, before: target.text, after: blank(target.text) ? "{}\n" : (target.text ?? "") },
    servers: [],
    inputs: [],
    notes: [],
  };
  for (const name of names) move(plan, name);
  copyInputs(plan);
  return plan;
}

function move(plan: ImportPlan, name: string): void {
  const { client, source, target } = plan;
  const node = nodeAt(source.before, [client.root, name]);
  if (node === undefined) return;
  if (nodeAt(target.after, ["servers", name]) !== undefined) {
    plan.notes.push(`“${name}” is in Winnow's file already, and stays where it is.`);
    return;
  }
  const entry = source.before.slice(node.offset, node.offset + node.length);
  target.after = insert(target.after, ["servers", name], translated(plan, name, dedent(source.before, node)));
  source.after = without(source.after, [client.root, name]);
  plan.servers.push({ name, entry });
}

/** Makes an entry one of Winnow's. Its comments stay. */
function translated({ client, notes }: ImportPlan, name: string, entry: string): string {
  const root = parseTree(entry);
  const keys = (root?.children ?? []).map((property) => String(property.children?.[0]?.value ?? ""));
  let text = entry;
  const unknown = keys.filter((key) => !knownKeys.has(key));
  for (const key of unknown) text = without(text, [key]);
  if (unknown.length > 0)
    notes.push(`Of “${name}” this is left out, as Winnow has no such thing: ${unknown.join(", ")}.`);
  const timeout: unknown = nodeAt(entry, ["timeout"])?.value;
  if (client.milliseconds === true && typeof timeout === "number") {
    text = applyEdits(text, modify(text, ["timeout"], Math.max(1, timeout / 1000), formatting));
  }
  return text;
}

/** Copies the inputs that moved servers ask for. They stay in the source: others may ask for them too. */
function copyInputs(plan: ImportPlan): void {
  const { source, target } = plan;
  const wanted = new Set(
    plan.servers.flatMap(({ entry }) => [...entry.matchAll(/\$\{input:([^}]+)\}/g)].map(([, id]) => id)),
  );
  for (const input of nodeAt(source.before, ["inputs"])?.children ?? []) {
    const id = idOf(input);
    if (!wanted.has(id)) continue;
    const there = (nodeAt(target.after, ["inputs"])?.children ?? []).map(idOf);
    if (there.includes(id)) continue;
    target.after = insert(target.after, ["inputs", there.length], dedent(source.before, input));
    plan.inputs.push(id);
  }
}

function idOf(input: Node): string {
  return String(findNodeAtLocation(input, ["id"])?.value ?? "");
}

/** What was done, as it is kept to be undone. */
export interface ImportRecord extends ImportPlan {
  version: 1;
  /** Its folder's name: the time of the move. */
  id: string;
}

/** What undoing leaves in the two files. */
export interface UndoPlan {
  source: FileChange;
  /** after is undefined when the file is to be deleted: the move had made it. */
  target: Omit<FileChange, "after"> & { after: string | undefined };
  notes: string[];
}

/**
 * Plans to undo a move. A file that nobody has changed since gets back its
 * bytes; in another one the entries alone are put back and taken out.
 *
 * @param now what the files hold; undefined for one that is gone
 */
export function planUndo(
  record: ImportRecord,
  now: { source: string | undefined; target: string | undefined },
): UndoPlan {
  const notes: string[] = [];
  const target = { path: record.target.path, before: now.target, after: undoneTarget(record, now.target, notes) };
  const source = { path: record.source.path, before: now.source, after: undoneSource(record, now.source, notes) };
  return { source, target, notes };
}

function undoneSource({ source, client, servers }: ImportRecord, now: string | undefined, notes: string[]): string {
  if (now === undefined || now === source.after) return source.before;
  let text = blank(now) ? "{}\n" : now;
  for (const { name, entry } of servers) {
    const path = [client.root, name];
    if (nodeAt(text, path) === undefined) text = insert(text, path, entry);
    else notes.push(`“${name}” is in ${source.path} again, and stays as it is.`);
  }
  return text;
}

function undoneTarget(
  { target, servers, inputs }: ImportRecord,
  now: string | undefined,
  notes: string[],
): string | undefined {
  if (now === undefined || now === target.after) return target.before;
  let text = now;
  for (const { name } of servers) text = without(text, ["servers", name]);
  for (const id of inputs) {
    const at = (nodeAt(text, ["inputs"])?.children ?? []).findIndex((input) => idOf(input) === id);
    if (at >= 0 && !text.includes(`\${input:${id}}`)) text = without(text, ["inputs", at]);
  }
  notes.push(`${target.path} was changed since; only the servers were taken out of it.`);
  return text;
}

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? undefined : findNodeAtLocation(root, path);
}

function blank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

function without(text: string, path: JSONPath): string {
  if (nodeAt(text, path) === undefined) return text;
  return applyEdits(text, modify(text, path, undefined, {})); // unformatted: what stays is as it was
}

/** Inserts a value as it is written, its comments included. */
function insert(text: string, path: JSONPath, value: string): string {
  const mark = "\u0001winnow\u0001";
  const marked = applyEdits(
    text,
    modify(text, path, mark, { ...formatting, isArrayInsertion: typeof path.at(-1) === "number" }),
  );
  const quoted = JSON.stringify(mark);
  const line = marked.slice(0, marked.indexOf(quoted)).split("\n").at(-1) ?? "";
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  return marked.replace(quoted, () => value.replaceAll("\n", `\n${indent}`));
}

/** The text of a node with the indentation of its first line taken off. */
function dedent(text: string, { offset, length }: Node): string {
  const line = text.slice(0, offset).split("\n").at(-1) ?? "";
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  return text.slice(offset, offset + length).replaceAll(`\n${indent}`, "\n");
}
