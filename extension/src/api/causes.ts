import { causeTexts, type Cause } from "../protocol/protocol.gen";

/** Returns the text of a cause, as the daemon does; empty for none. */
export function causeText(cause: Cause | undefined): string {
  if (cause === undefined) return "";
  return causeTexts[cause.kind].replace(
    /\{(owner|key|text)\}/g,
    (_, member: "owner" | "key" | "text") => cause[member] ?? "",
  );
}
