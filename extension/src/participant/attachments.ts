import type { DataPart } from "../chat/message";

/** An attachment of the user: a text, a picture, or the reason why it cannot be sent. */
export type Attached = { name: string } & ({ text: string } | { picture: DataPart } | { problem: string });

/** A picture from the clipboard. Its class is outside the stable API. */
interface Binary {
  mimeType: string;
  data(): PromiseLike<Uint8Array>;
}

/**
 * Reads an attachment of bytes; undefined for anything else.
 *
 * @param pictures whether the model accepts pictures, as far as known
 */
export async function attachedBinary(name: string, value: unknown, pictures: boolean): Promise<Attached | undefined> {
  if (!isBinary(value)) return undefined;
  const { mimeType } = value;
  if (!mimeType.startsWith("image/")) return { name, problem: `@winnow does not know what to do with ${mimeType}` };
  if (!pictures) return { name, problem: "the model takes no pictures" };
  try {
    return { name, picture: { kind: "data", mimeType, data: await value.data() } };
  } catch (err) {
    return { name, problem: err instanceof Error ? err.message : String(err) };
  }
}

function isBinary(value: unknown): value is Binary {
  const { mimeType, data } = (value ?? {}) as Partial<Binary>;
  return typeof mimeType === "string" && typeof data === "function";
}
