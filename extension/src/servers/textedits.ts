// Applies the daemon's edits to a text, for a picture of what they make of it.

import type { Position, TextEdit } from "../protocol.gen";

/** The text after edits, which are in its order and do not overlap. */
export function applied(text: string, edits: readonly TextEdit[]): string {
  const starts = lineStarts(text);
  const offset = ({ line, character }: Position) => (starts[line] ?? text.length) + character;
  return edits.reduceRight(
    (now, { range, newText }) => now.slice(0, offset(range.start)) + newText + now.slice(offset(range.end)),
    text,
  );
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
