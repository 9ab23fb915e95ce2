// Errors of the model behind a twin, as the user is to read them.

/** The kinds of LanguageModelError. */
export type ErrorCode = "NoPermissions" | "Blocked" | "NotFound";

/** What is kept of an error. */
export interface CleanError {
  /** Absent where the error was of no kind that VS Code knows. */
  code?: ErrorCode;
  /** One or more sentences, no stack. */
  message: string;
}

const codes: readonly string[] = ["NoPermissions", "Blocked", "NotFound"] satisfies ErrorCode[];

/** Longer messages are whole web pages, or stacks. */
const maxMessage = 2000;

/** Keeps the code and the words of an error, without the stack, which VS Code would print. */
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
