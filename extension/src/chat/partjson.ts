// Messages and their parts as JSON for the daemon: those of a request, which it reads, and those of internal rounds,
// which it stores unread.

import { createHash } from "node:crypto";
import type { MessageDigest, MessagePart } from "../protocol/protocol.gen";
import type { Message, Part } from "./message";

/** Encodes the messages of a request, without the bytes of data and the content of VS Code's own classes. */
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

/** Converts a part outside the stable API from its plain form to VS Code's object; undefined if it cannot. */
export type Revive = (raw: unknown) => unknown;

/** The JSON of a part. */
type PartJson =
  | { kind: "text"; text?: string }
  | { kind: "call"; callId: string; name: string; input?: object }
  | { kind: "result"; callId: string; content?: PartJson[] }
  | { kind: "data"; mimeType: string; base64: string }
  | { kind: "other"; text: string; raw: unknown };

/** Encodes a part. */
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

/** Decodes a message that the daemon wrote. */
export function messageFromJson(
  { role, digest, parts = [] }: { role: string; digest?: string; parts?: readonly unknown[] },
  revive: Revive,
): Message {
  return {
    role: role as Message["role"],
    ...(digest !== undefined && { digest }),
    parts: partsFromJson(parts, revive),
  };
}

/** Decodes parts encoded by {@link partToJson}. A part whose object VS Code cannot make is omitted. */
export function partsFromJson(json: readonly unknown[], revive: Revive): Part[] {
  return (json as readonly PartJson[]).flatMap((part) => partFromJson(part, revive));
}

function partFromJson(part: PartJson, revive: Revive): Part[] {
  switch (part.kind) {
    case "text":
      return [{ ...part, text: part.text ?? "" }]; // the daemon omits empty values
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
