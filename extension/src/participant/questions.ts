import type { CancellationToken } from "vscode-jsonrpc";
import type { Consent } from "../routing/consent";

/** The open questions in the chat. The user answers with a button, which stays visible after the question has ended. */
export class Questions {
  readonly #open = new Map<number, (answer: Consent) => void>();
  #last = 0;

  /**
   * Asks a question.
   *
   * @param show displays it, with the number for its buttons
   * @returns the answer; "skip" if token is cancelled first
   */
  async ask(show: (question: number) => void, token: CancellationToken): Promise<Consent> {
    const question = ++this.#last;
    const answered = new Promise<Consent>((resolve) => this.#open.set(question, resolve));
    const cancelling = token.onCancellationRequested(() => this.answer(question, "skip"));
    try {
      if (token.isCancellationRequested) return "skip";
      show(question);
      return await answered;
    } finally {
      cancelling.dispose();
      this.#open.delete(question);
    }
  }

  /** Answers a question, and reports whether it was open. */
  answer(question: number, answer: Consent): boolean {
    const resolve = this.#open.get(question);
    this.#open.delete(question);
    resolve?.(answer);
    return resolve !== undefined;
  }

  /** The numbers of the open questions, oldest first. */
  get open(): number[] {
    return [...this.#open.keys()];
  }
}
