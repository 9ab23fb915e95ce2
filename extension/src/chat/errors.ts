// Errors of the model behind a twin, for the user.

/** The kinds of LanguageModelError. */
export type ErrorCode = "NoPermissions" | "Blocked" | "NotFound";

/** The cleaned error. */
export interface CleanError {
  /** Absent if VS Code has no such kind of error. */
  code?: ErrorCode;
  /** One or more sentences, no stack. */
  message: string;
}

const codes: readonly string[] = ["NoPermissions", "Blocked", "NotFound"] satisfies ErrorCode[];

/** Longer messages are web pages or stacks. */
const maxMessage = 2000;

/** Returns the code and the message of an error, without the stack, which VS Code would print. */
export function cleanError(err: unknown): CleanError {
  const code = err instanceof Error && "code" in err ? err.code : undefined;
  const raw = err instanceof Error ? err.message : String(err);
  const message = raw.replace(/(?:\n\s*at .*)+/g, "").trim();
  const short = message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
  return {
    message: short === "" ? "the model failed without saying why" : short,
    ...(typeof code === "string" && codes.includes(code) && { code: code as ErrorCode }),
  };
}
