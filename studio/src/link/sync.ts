// Keeps a session's document equal to the one that is shown. One batch of edits is under way at a time; what changes meanwhile
// goes with the next one, so a fast drag never queues up, and the last state always arrives.

/** What an app says about its documents. */
export interface Followed<D, E> {
  /** The document that is wanted now. */
  wanted(): D;
  /** The edits that turn one into another. */
  difference(from: D | null, to: D): E[];
  /** The files that it names, with the hashes of their contents. */
  files(document: D): Map<string, string>;
  /** Sends an edit; false when that is not possible. */
  edit(revision: number, edit: E): boolean;
  /** Sends a file; false when that is not possible. */
  upload(name: string, hash: string): boolean;
}

export class Sync<D, E> {
  /** What the session has, or will have when the edits under way arrive. */
  private sent: D | null = null;
  private underWay: { revision: number; document: D } | null = null;
  private revision = 0;
  /** The last document that the session computed. */
  accepted: D | null = null;
  /** The files that the session has: names and hashes. */
  private held = new Map<string, string>();

  constructor(private readonly followed: Followed<D, E>) {}

  /** The session said which files it has. */
  holds(names: string[]): void {
    for (const name of [...this.held.keys()]) if (!names.includes(name)) this.held.delete(name);
  }

  /** A file was sent. */
  holdsContent(name: string, hash: string): void {
    this.held.set(name, hash);
  }

  /** After a welcome: the session's document is empty. */
  restart(): boolean {
    this.refused();
    return this.flush();
  }

  /** Sends what has changed, unless edits are under way already. Returns whether the session has computed it all. */
  flush(): boolean {
    if (this.underWay) return false;
    const document = this.followed.wanted();
    const edits = this.followed.difference(this.sent, document);
    for (const [name, hash] of edits.length > 0 ? this.followed.files(document) : []) {
      if (this.held.get(name) !== hash && this.followed.upload(name, hash)) this.held.set(name, hash);
    }
    for (const edit of edits) {
      this.revision += 1;
      if (!this.followed.edit(this.revision, edit)) return false;
    }
    this.sent = document;
    if (edits.length > 0) this.underWay = { revision: this.revision, document };
    return edits.length === 0;
  }

  /** Sends an edit that changes no document. */
  say(edit: E): boolean {
    this.revision += 1;
    return this.followed.edit(this.revision, edit);
  }

  /** The session computed this revision. Returns whether the document has not changed since it was sent. */
  computed(revision: number): boolean {
    if (this.underWay && revision >= this.underWay.revision) {
      this.accepted = this.underWay.document;
      this.underWay = null;
    }
    return this.flush();
  }

  /** The session refused an edit: its document is no longer known. */
  refused(): void {
    this.held.clear();
    this.sent = null;
    this.underWay = null;
  }
}
