// Formatting of numbers and names. All functions are pure.

/**
 * Formats a number of tokens briefly: 812, 8.2k, 56k, 1.2M.
 *
 * @param tokens may be negative if routing costs more than it saves
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

/** Formats with one decimal, none if it is 0. */
function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}

/** Formats an integer with separators: 12,345. */
export function formatNumber(value: number): string {
  return value.toLocaleString("en-US");
}

/** Formats a count with its noun: 1 tool, 2,000 tools. */
export function count(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}

/** Formats a share in percent; a positive share is never 0%. */
export function percent(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return "0%";
  const share = (part / whole) * 100;
  if (share < 1) return "<1%";
  return `${Math.round(share)}%`;
}

/** Returns the beginning of a text, on one line. */
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
 * Escapes a text for Markdown, so that it is shown literally. VS Code also makes links of bare addresses and code of
 * indented lines.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/:\/\/|[\\`*_{}[\]()#+\-.!|<>~$&=]/g, (mark) => (mark === "://" ? ":\\/\\/" : `\\${mark}`))
    .replace(/\r\n?|\n/g, "  \n")
    .replace(/^[ \t]+/gm, (indent) => "\u00a0".repeat(indent.length));
}

/**
 * Escapes a text for a notification, where VS Code makes links of [words](address), also to commands, which run on a
 * click. VS Code has no escape, so a space is inserted.
 */
export function plainMessage(text: string): string {
  return text.replaceAll("](", "] (");
}
