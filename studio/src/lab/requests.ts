// Requests that wait for their answers, by number.

import type { ServerMessage } from '../protocol/messages';

export class Requests {
  private last = 0;
  private readonly waiting = new Map<number, (message: ServerMessage | null) => void>();

  /** A number that was not used before. */
  next(): number {
    return ++this.last;
  }

  /** Sends a request under a new number; the answer, or nothing when it could not be sent or the connection was lost. */
  ask(send: (request: number) => boolean): Promise<ServerMessage | null> {
    const request = this.next();
    return new Promise((resolve) => {
      if (send(request)) this.waiting.set(request, resolve);
      else resolve(null);
    });
  }

  answer(request: number, message: ServerMessage): void {
    this.waiting.get(request)?.(message);
    this.waiting.delete(request);
  }

  /** No answer will come: the connection was made anew. */
  abandon(): void {
    for (const resolve of this.waiting.values()) resolve(null);
    this.waiting.clear();
  }
}
