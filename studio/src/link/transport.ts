// How messages travel: a socket to the program's server. Tests have transports of their own; a worker may be another.

export interface Lost {
  /** A close code of the server, or 1006. */
  code: number;
  reason: string;
}

export interface Transport {
  open(hear: (message: string | ArrayBuffer) => void, opened: () => void, lost: (why: Lost) => void): void;
  send(message: string | ArrayBuffer): void;
  close(): void;
}

export class SocketTransport implements Transport {
  private socket: WebSocket | null = null;

  open(hear: (message: string | ArrayBuffer) => void, opened: () => void, lost: (why: Lost) => void): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/socket`);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = opened;
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      hear(event.data);
    };
    socket.onclose = ({ code, reason }) => {
      // A socket that was given up is not lost a second time.
      if (this.socket !== socket) return;
      this.socket = null;
      lost({ code, reason });
    };
  }

  send(message: string | ArrayBuffer): void {
    this.socket?.send(message);
  }

  close(): void {
    const { socket } = this;
    this.socket = null;
    socket?.close();
  }
}
