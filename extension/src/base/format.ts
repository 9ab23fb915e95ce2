// How numbers and names read. Everything here is pure.

/**
 * Writes a number of tokens so that it fits beside a name: 812, 8.2k, 56k, 1.2M.
 *
 * @param tokens may be negative, where routing costs more than it saves
 */
export function formatTokens(tokens: number): string {
  const size = Math.abs(tokens);
  if (size < 1000) return String(tokens);
  // 9,960 is 10k, not 10.0k.
  if (size < 9950) return `${trim(tokens / 1000)}k`;
  if (size < 999_500) return `${Math.round(tokens / 1000)}k`;
  if (size < 9_950_000) return `${trim(tokens / 1_000_000)}M`;
  return `${Math.round(tokens / 1_000_000)}M`;
}

/** One decimal, and none where it is 0. */
function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}

/** Writes a whole number with separators: 12,345. */
export function formatNumber(value: number): string {
  return value.toLocaleString("en-US");
}

/** Writes a count with its noun: 1 tool, 2,000 tools. */
export function count(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}

/** Writes a part of a whole in percent; what is there is never 0%. */
export function percent(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return "0%";
  const share = (part / whole) * 100;
  if (share < 1) return "<1%";
  return `${Math.round(share)}%`;
}

/** Keeps the beginning of a text, on one line. */
export function excerpt(text: string, length = 60): string {
  const line = text.replace(/\s+/g, " ").trim();
  const letters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  return letters.length <= length
    ? line
    : `${letters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`;
}

/**
 * Makes a text safe inside Markdown: what it holds is shown, never followed. VS Code makes links of bare addresses too,
 * and code of indented lines.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/:\/\/|[\\`*_{}[\]()#+\-.!|<>~$&=]/g, (mark) => (mark === "://" ? ":\\/\\/" : `\\${mark}`))
    .replace(/\r\n?|\n/g, "  \n")
    .replace(/^[ \t]+/gm, (indent) => "\u00a0".repeat(indent.length));
}

/**
 * Makes a text safe inside a notification: VS Code makes a link of [words](address) in one, also of a command, which it
 * runs when somebody clicks it. It knows no escape.
 */
export function plainMessage(text: string): string {
  return text.replaceAll("](", "] (");
}
