import { causeTexts, type Cause } from "../protocol.gen";

/** Words a cause as the daemon does; empty for none. */
export function causeText(cause: Cause | undefined): string {
  if (cause === undefined) return "";
  return causeTexts[cause.kind].replace(
    /\{(owner|key|text)\}/g,
    (_, member: "owner" | "key" | "text") => cause[member] ?? "",
  );
}

/** Whether a rule of the user's keeps a tool out, and not its rank. */
export function isOff(cause: Cause | undefined): boolean {
  return cause?.kind === "server" || cause?.kind === "mode" || cause?.kind === "task";
}
