// An estimate of token counts. VS Code requests thousands of them for one request, so it is local and takes about a
// microsecond.

import type { Message, Part } from "./message";

/** The approximate bytes of UTF-8 per token: English has about four, and a Chinese character has three bytes. */
const bytesPerToken = 4;

/** The overhead of a message in tokens. */
const perMessage = 4;

/** The tokens of an image of any size, about that of a screenshot. */
const perImage = 1000;

/** Estimates the tokens of a text. */
export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** Estimates the tokens of a message. */
export function messageTokens({ parts }: Message): number {
  return parts.reduce((sum, part) => sum + partTokens(part), perMessage);
}

function partTokens(part: Part): number {
  switch (part.kind) {
    case "text":
    case "other":
      return textTokens(part.text);
    case "call":
      return textTokens(part.name) + textTokens(JSON.stringify(part.input));
    case "result":
      return part.content.reduce((sum, inner) => sum + partTokens(inner), 0);
    case "data":
      return part.mimeType.startsWith("image/") ? perImage : Math.ceil(part.data.byteLength / bytesPerToken);
  }
}
