// The results of VS Code's own tools: a tree laid out by @vscode/prompt-tsx instead of text. Models of other extensions
// cannot read it, so they get its text.

/** The used members of a node. */
interface Node {
  /** The text of a text node. */
  text?: unknown;
  /** Whether the text starts a line. */
  lineBreakBefore?: unknown;
  /** The children of an inner node. */
  children?: unknown;
  /** The properties of an image. */
  props?: { src?: unknown };
}

/** Returns the text of a LanguageModelPromptTsxPart's value; empty if it is not a tree. */
export function promptText(value: unknown): string {
  const pieces: string[] = [];
  collect((value as { node?: unknown } | null | undefined)?.node, pieces);
  return pieces.join("");
}

function collect(raw: unknown, pieces: string[]): void {
  if (typeof raw !== "object" || raw === null) return;
  const { text, lineBreakBefore, children, props } = raw as Node;
  if (typeof text === "string") {
    if (Boolean(lineBreakBefore) && pieces.length > 0) pieces.push("\n");
    pieces.push(text);
  }
  if (typeof props?.src === "string") pieces.push("[image]");
  if (Array.isArray(children)) for (const child of children) collect(child, pieces);
}
