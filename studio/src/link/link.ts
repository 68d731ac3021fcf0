// A conversation with an app's session that comes back by itself. What is said in it is the business of its user, who starts
// anew on every welcome: nothing is queued while the connection is down.

import { signal } from '@preact/signals';

import { meter } from '../base/meter';
import { VERSION, type ClientMessage, type Failure, type FileFacts, type ServerMessage, type WireLimits } from './envelope';
import { decodeFrames, encodeUpload, type Frame } from './geometry';
import { InputPort } from './input-port';
import { Requests, Unanswered } from './requests';
import { decodeStateFrame, isStateFrame, type StateFrame } from './state-frame';
import { token } from './token';
import { SocketTransport, type Lost, type Transport } from './transport';

export type LinkState = 'connecting' | 'open' | 'lost' | 'refused';

/** An app's own messages. */
export interface Messages {
  Facts: unknown;
  Edit: unknown;
  Ask: unknown;
  Answer: unknown;
  State: unknown;
  Event: unknown;
}

/** What its user hears. */
export interface Listener<M extends Messages> {
  welcome?(facts: M['Facts']): void;
  state?(revision: number, state: M['State']): void;
  geometry?(frame: Frame): void;
  frame?(frame: StateFrame): void;
  event?(event: M['Event']): void;
  files?(held: FileFacts[]): void;
  /** An edit was refused, or something that nobody asked for. */
  failure?(failure: Failure): void;
}

/** Milliseconds between signs of life, and how long none may come back. */
const HEARTBEAT = 10_000;
const QUIET = 20_000;
const FIRST_RETRY = 250;
const LONGEST_RETRY = 4_000;
/** Close codes after which trying again is no use: policy (version, token) and size. */
const FINAL = [1008, 1009];

export class Link<M extends Messages> {
  readonly state = signal<LinkState>('connecting');
  readonly facts = signal<M['Facts'] | null>(null);
  readonly limits = signal<WireLimits | null>(null);
  /** Why there will be no connection. */
  readonly reason = signal<string | null>(null);
  /** How many are to be served before this live session; 0 when it runs. */
  readonly place = signal(0);
  readonly input = new InputPort((message) => this.post(message));
  private readonly requests = new Requests();
  private connected = false;
  private retry = FIRST_RETRY;
  private timer: number | undefined;
  private heartbeat: number | undefined;
  private heard = 0;
  private closed = false;

  constructor(
    private readonly app: { name: string; version: number },
    private readonly listener: Listener<M>,
    private readonly transport: Transport = new SocketTransport(),
  ) {
    this.open();
    window.addEventListener('online', this.hurry);
    document.addEventListener('visibilitychange', this.hurry);
  }

  /** Sends an edit; false when there is no connection. */
  edit(revision: number, edit: M['Edit']): boolean {
    return this.say({ edit: { revision, edit } }, this.limits.peek()?.edit_bytes);
  }

  /** Asks something. The promise is rejected with `Unanswered` when it was refused, replaced or lost. */
  ask(ask: M['Ask'], abort?: AbortSignal): Promise<M['Answer']> {
    return this.askNumbered(ask, abort).answer;
  }

  /** The same, with the number under which it goes: geometry may come with it. */
  askNumbered(ask: M['Ask'], abort?: AbortSignal): { request: number; answer: Promise<M['Answer']> } {
    const { request, answer } = this.requests.ask((number) => this.say({ ask: { request: number, ask } }, this.limits.peek()?.ask_bytes));
    abort?.addEventListener('abort', () => {
      this.say({ cancel: { request } });
    }, { once: true });
    return { request, answer: answer };
  }

  /** Sends a file; all files that the session holds. */
  upload(name: string, content: Uint8Array): Promise<FileFacts[]> {
    return this.requests.ask((request) => this.post(encodeUpload(request, name, content))).answer as Promise<FileFacts[]>;
  }

  close(): void {
    this.closed = true;
    window.clearTimeout(this.timer);
    window.clearInterval(this.heartbeat);
    window.removeEventListener('online', this.hurry);
    document.removeEventListener('visibilitychange', this.hurry);
    this.requests.abandon();
    this.transport.close();
  }

  private say(message: ClientMessage, most?: number): boolean {
    const text = JSON.stringify(message);
    // Checked here, so that a message that is too long is a sentence and not a lost connection.
    if (most !== undefined && text.length > most / 3 && new Blob([text]).size > most) {
      const numbers = 'edit' in message ? { request: null, revision: message.edit.revision } : { request: null, revision: null };
      queueMicrotask(() => this.listener.failure?.({ ...numbers, kind: 'limit', field: null, message: `This is too much to send: ${Math.ceil(text.length / 1000)} kB; at most ${Math.floor(most / 1000)} kB are taken.` }));
      return true;
    }
    return this.post(text);
  }

  private post(message: string | ArrayBuffer): boolean {
    if (this.state.peek() !== 'open') return false;
    this.transport.send(message);
    return true;
  }

  private readonly hurry = () => {
    if (document.visibilityState !== 'visible') return;
    if (this.state.peek() === 'lost') {
      this.retry = FIRST_RETRY;
      this.open();
    } else if (this.connected && performance.now() - this.heard > QUIET) {
      // Asleep for long: ask at once instead of at the next beat.
      this.say({ ping: { request: 0 } });
    }
  };

  private open(): void {
    window.clearTimeout(this.timer);
    if (this.closed || this.connected) return;
    this.connected = true;
    this.heard = performance.now();
    const greet = () => {
      const known = token();
      const { name, version } = this.app;
      this.transport.send(JSON.stringify({ hello: { version: VERSION, app: name, app_version: version, ...(known ? { token: known } : {}) } } satisfies ClientMessage));
    };
    const hear = (data: string | ArrayBuffer) => {
      this.heard = performance.now();
      meter.work(() => {
        this.receive(data);
      });
    };
    this.transport.open(hear, greet, (why) => {
      this.lose(why);
    });
    window.clearInterval(this.heartbeat);
    this.heartbeat = window.setInterval(() => {
      if (performance.now() - this.heard > QUIET) {
        // Half open: nobody is at the other end.
        this.transport.close();
        this.lose({ code: 1006, reason: '' });
      } else {
        this.say({ ping: { request: 0 } });
      }
    }, HEARTBEAT);
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      if (isStateFrame(data)) this.listener.frame?.(decodeStateFrame(data));
      else for (const frame of decodeFrames(data)) this.listener.geometry?.(frame);
      return;
    }
    const message = JSON.parse(data) as ServerMessage;
    if ('welcome' in message) {
      this.retry = FIRST_RETRY;
      this.limits.value = message.welcome.limits;
      this.facts.value = message.welcome.facts;
      this.state.value = 'open';
      this.listener.welcome?.(message.welcome.facts);
    } else if ('state' in message) {
      this.listener.state?.(message.state.revision, message.state.state);
    } else if ('answer' in message) {
      this.requests.answer(message.answer.request, message.answer.answer);
    } else if ('files' in message) {
      this.listener.files?.(message.files.held);
      this.requests.answer(message.files.request, message.files.held);
    } else if ('replaced' in message) {
      this.requests.reject(message.replaced.request, new Unanswered('replaced', 'replaced by a newer one'));
    } else if ('event' in message) {
      this.listener.event?.(message.event.event);
    } else if ('load' in message) {
      this.place.value = message.load.place;
    } else if ('failure' in message) {
      this.fail(message.failure);
    }
  }

  private fail(failure: Failure): void {
    if (this.state.peek() !== 'open') this.reason.value = failure.message;
    // Who asked is told, and knows whether a person has to be.
    const told = failure.request !== null && this.requests.reject(failure.request, new Unanswered('refused', inWords(failure)));
    if (!told) this.listener.failure?.(failure);
  }

  private lose({ code, reason }: Lost): void {
    this.connected = false;
    window.clearInterval(this.heartbeat);
    this.requests.abandon();
    this.input.reset();
    if (this.closed) return;
    if (FINAL.includes(code)) {
      this.reason.value ??= reason || 'The studio closed the connection.';
      this.state.value = 'refused';
      return;
    }
    this.state.value = 'lost';
    this.timer = window.setTimeout(() => {
      this.open();
    }, this.retry * (0.75 + 0.5 * Math.random()));
    this.retry = Math.min(2 * this.retry, LONGEST_RETRY);
  }
}

export function inWords({ field, message }: Failure): string {
  return field ? `${field}: ${message}` : message;
}
