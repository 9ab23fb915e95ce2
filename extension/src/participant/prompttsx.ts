// What VS Code's own tools answer: not text, but a tree that @vscode/prompt-tsx
// has laid out and would render in a prompt of its own. Models of other
// extensions cannot read it, so it goes to them as the text that it holds.

/** A node of the tree, as far as we look at it. */
interface Node {
  /** Of a node that is text. */
  text?: unknown;
  /** Whether the text begins a line. */
  lineBreakBefore?: unknown;
  /** Of one that holds others. */
  children?: unknown;
  /** Of an image. */
  props?: { src?: unknown };
}

/** The text of a tree, which is the value of a LanguageModelPromptTsxPart. What is no tree says nothing. */
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
