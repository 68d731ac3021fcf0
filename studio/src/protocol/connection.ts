// A connection that comes back by itself. What is said on it is the business of its user, who starts anew on every
// welcome: nothing is queued while the connection is down.

import { signal } from '@preact/signals';

import { meter } from '../view/meter';
import { decodeFrames, encodeUpload, type Frame } from './frame';
import { VERSION, type ClientMessage, type ServerMessage, type Welcome } from './messages';

export type ConnectionState = 'connecting' | 'open' | 'lost';

export interface Listener {
  welcome(welcome: Welcome): void;
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
}

/** Milliseconds between signs of life; the server hangs up on silence of two minutes. */
const HEARTBEAT = 25_000;
const FIRST_RETRY = 250;
const LONGEST_RETRY = 4_000;

export class Connection {
  readonly state = signal<ConnectionState>('connecting');
  private socket: WebSocket | null = null;
  private retry = FIRST_RETRY;
  private timer: number | undefined;
  private heartbeat: number | undefined;
  private closed = false;

  constructor(private readonly listener: Listener) {
    this.open();
    window.addEventListener('online', this.hurry);
    document.addEventListener('visibilitychange', this.hurry);
  }

  /** Sends a message; false when there is no connection. */
  send(message: ClientMessage): boolean {
    if (this.state.peek() !== 'open' || !this.socket) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Sends a file of a mesh; false when there is no connection. */
  upload(request: number, name: string, content: Uint8Array): boolean {
    if (this.state.peek() !== 'open' || !this.socket) return false;
    this.socket.send(encodeUpload(request, name, content));
    return true;
  }

  close(): void {
    this.closed = true;
    window.clearTimeout(this.timer);
    window.clearInterval(this.heartbeat);
    window.removeEventListener('online', this.hurry);
    document.removeEventListener('visibilitychange', this.hurry);
    this.socket?.close();
  }

  private readonly hurry = () => {
    if (this.state.peek() === 'lost' && document.visibilityState === 'visible') {
      this.retry = FIRST_RETRY;
      this.open();
    }
  };

  private open(): void {
    window.clearTimeout(this.timer);
    if (this.closed || this.socket) return;
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/socket`);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      socket.send(JSON.stringify({ hello: { version: VERSION } } satisfies ClientMessage));
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      meter.work(() => {
        this.receive(event.data);
      });
    };
    socket.onclose = () => {
      this.lose();
    };
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      for (const frame of decodeFrames(data)) this.listener.frame(frame);
      return;
    }
    const message = JSON.parse(data) as ServerMessage;
    if ('welcome' in message) {
      this.retry = FIRST_RETRY;
      this.state.value = 'open';
      window.clearInterval(this.heartbeat);
      this.heartbeat = window.setInterval(() => this.send({ ping: { request: 0 } }), HEARTBEAT);
      this.listener.welcome(message.welcome);
    } else {
      this.listener.message(message);
    }
  }

  private lose(): void {
    this.socket = null;
    window.clearInterval(this.heartbeat);
    if (this.closed) return;
    this.state.value = 'lost';
    this.timer = window.setTimeout(() => {
      this.open();
    }, this.retry);
    this.retry = Math.min(2 * this.retry, LONGEST_RETRY);
  }
}
