// A question about the document whose answer stays on the screen. It is asked when the session has computed all that was edited:
// before that, the answer would be about an older document and nobody would ask again. Of several answers only the newest counts.

export class Question<Answer> {
  private due = false;
  private number = 0;

  /** `ask` may have nothing to ask about; then there is nothing to show. */
  constructor(
    private readonly ask: () => Promise<Answer | null>,
    private readonly show: (answer: Answer) => void,
  ) {}

  /** What it is about has changed: what is on its way no longer counts. */
  renew(): void {
    this.number += 1;
    this.due = true;
  }

  /** The session has all that was edited. */
  settled(): void {
    if (!this.due) return;
    this.due = false;
    const { number } = this;
    void this.ask().then((answer) => {
      if (answer !== null && number === this.number) this.show(answer);
    });
  }
}
