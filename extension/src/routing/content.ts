import { PROTOCOL_CALL_EMPTY, PROTOCOL_CALL_FAILED, type TaskCallResult } from "../protocol/protocol.gen";
import { type DataPart, type TextPart, text } from "../chat/message";

/** A part of a result. */
export type Content = TextPart | DataPart;

/** A block of MCP content, with the members of all kinds. */
interface Block {
  type?: string;
  text?: string;
  data?: string;
  mimeType?: string;
  uri?: string;
  name?: string;
  resource?: { uri?: string; mimeType?: string; text?: string; blob?: string };
}

/** Returns a tool's result for a model. An error is marked as one. */
export function contentOf(result: TaskCallResult): Content[] {
  const content = result.content.map((block) => contentOfBlock(block as Block));
  if (content.length === 0 && result.structuredContent !== undefined) {
    content.push(text(JSON.stringify(result.structuredContent)));
  }
  if (content.length === 0) content.push(text(PROTOCOL_CALL_EMPTY));
  return result.isError ? [text(PROTOCOL_CALL_FAILED), ...content] : content;
}

function contentOfBlock(block: Block): Content {
  switch (block.type) {
    case "text":
      return text(block.text ?? "");
    case "image":
      return { kind: "data", mimeType: block.mimeType ?? "image/png", data: Buffer.from(block.data ?? "", "base64") };
    case "resource":
      return contentOfResource(block.resource ?? {});
    case "resource_link":
      return text(`[resource ${block.name ?? ""} ${block.uri ?? ""}]`);
    default:
      return text(`[${block.type ?? "content"} ${block.mimeType ?? ""} that cannot be shown to a model]`);
  }
}

function contentOfResource({
  uri = "",
  mimeType = "",
  text: words,
  blob = "",
}: NonNullable<Block["resource"]>): Content {
  if (words !== undefined) return text(words);
  const data = Buffer.from(blob, "base64");
  if (mimeType.startsWith("image/")) return { kind: "data", mimeType, data };
  return text(`[resource ${uri} ${mimeType}, ${data.length} bytes]`);
}
