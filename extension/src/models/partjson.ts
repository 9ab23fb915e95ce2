// Messages and their parts as JSON, for the daemon: those of a request, which it
// reads, and those of internal rounds, which it keeps and never looks into.

import { createHash } from "node:crypto";
import type { MessageDigest, MessagePart } from "../protocol/protocol.gen";
import type { Message, Part } from "./message";

/** Writes the messages of a request: all but the bytes of data, and what only VS Code's own classes hold. */
export function messagesToJson(messages: readonly Message[]): MessageDigest[] {
  return messages.map(({ role, digest, parts }) => ({
    role,
    ...(digest !== undefined && { digest }),
    parts: parts.map(partOf),
  }));
}

function partOf(part: Part): MessagePart {
  switch (part.kind) {
    case "text":
    case "other":
      return { kind: part.kind, text: part.text };
    case "call":
      return { kind: "call", callId: part.callId, name: part.name, input: part.input };
    case "result":
      return { kind: "result", callId: part.callId, content: part.content.map(partOf) };
    case "data": {
      const { mimeType, data } = part;
      return { kind: "data", mimeType, sha256: createHash("sha256").update(data).digest("hex"), length: data.length };
    }
  }
}

/** Makes VS Code's own object of the plain form of a part that the stable API has no class for; undefined where it cannot. */
export type Revive = (raw: unknown) => unknown;

/** A part, as JSON has it. */
type PartJson =
  | { kind: "text"; text?: string }
  | { kind: "call"; callId: string; name: string; input?: object }
  | { kind: "result"; callId: string; content?: PartJson[] }
  | { kind: "data"; mimeType: string; base64: string }
  | { kind: "other"; text: string; raw: unknown };

/** Writes a part. */
export function partToJson(part: Part): PartJson {
  switch (part.kind) {
    case "text":
      return { kind: "text", text: part.text };
    case "call":
      return { kind: "call", callId: part.callId, name: part.name, input: part.input };
    case "result":
      return { kind: "result", callId: part.callId, content: part.content.map(partToJson) };
    case "data":
      return { kind: "data", mimeType: part.mimeType, base64: Buffer.from(part.data).toString("base64") };
    case "other":
      return { kind: "other", text: part.text, raw: part.raw };
  }
}

/** Reads parts that {@link partToJson} wrote. One whose object VS Code cannot make is left out. */
export function partsFromJson(json: readonly unknown[], revive: Revive): Part[] {
  return (json as readonly PartJson[]).flatMap((part) => partFromJson(part, revive));
}

function partFromJson(part: PartJson, revive: Revive): Part[] {
  switch (part.kind) {
    case "text":
      return [{ ...part, text: part.text ?? "" }]; // the daemon leaves out what is empty
    case "call":
      return [{ ...part, input: part.input ?? {} }];
    case "result":
      return [{ ...part, content: partsFromJson(part.content ?? [], revive) }];
    case "data":
      return [{ kind: "data", mimeType: part.mimeType, data: new Uint8Array(Buffer.from(part.base64, "base64")) }];
    case "other": {
      const raw = revive(part.raw);
      return raw === undefined ? [] : [{ ...part, raw }];
    }
  }
}
