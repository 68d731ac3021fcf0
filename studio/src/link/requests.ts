// Questions that wait for their answers, by number. Every one ends.

/** A question that was refused, taken back, or lost with the connection. */
export class Unanswered extends Error {
  constructor(readonly why: 'refused' | 'replaced' | 'lost', message: string) {
    super(message);
  }
}

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (why: Unanswered) => void;
}

export class Requests {
  private last = 0;
  private readonly waiting = new Map<number, Waiting>();

  /** A number that was not used before. */
  next(): number {
    return ++this.last;
  }

  /** Sends a question under a new number. */
  ask(send: (request: number) => boolean): { request: number; answer: Promise<unknown> } {
    const request = this.next();
    const answer = new Promise((resolve, reject) => {
      if (send(request)) this.waiting.set(request, { resolve, reject });
      else reject(new Unanswered('lost', 'The connection was lost. Try again when it is back.'));
    });
    return { request, answer };
  }

  answer(request: number, answer: unknown): void {
    this.waiting.get(request)?.resolve(answer);
    this.waiting.delete(request);
  }

  /** Whether somebody waits for it. */
  reject(request: number, why: Unanswered): boolean {
    const waiting = this.waiting.get(request);
    waiting?.reject(why);
    return this.waiting.delete(request);
  }

  /** No answer will come: the connection was lost. */
  abandon(): void {
    for (const { reject } of this.waiting.values()) reject(new Unanswered('lost', 'The connection was lost. Try again when it is back.'));
    this.waiting.clear();
  }
}
