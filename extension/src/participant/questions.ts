import type { CancellationToken } from "vscode-jsonrpc";

/** What the user says to a call: yes; yes in this chat; yes always; no. */
export type Answer = "once" | "chat" | "always" | "skip";

/**
 * The questions that stand open in the chat. The user answers by a button,
 * which stays on the screen when its question is over.
 */
export class Questions {
  readonly #open = new Map<number, (answer: Answer) => void>();
  #last = 0;

  /**
   * Asks a question.
   *
   * @param show puts it on the screen, with the number that its buttons name
   * @returns the answer; "skip" when token is cancelled first
   */
  async ask(show: (question: number) => void, token: CancellationToken): Promise<Answer> {
    const question = ++this.#last;
    const answered = new Promise<Answer>((resolve) => this.#open.set(question, resolve));
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

  /** Answers a question, and tells whether it was still open. */
  answer(question: number, answer: Answer): boolean {
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
