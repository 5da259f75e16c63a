import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

interface Frame {
  readonly op: number;
  readonly data: Buffer;
  /** Bytes it took. */
  readonly size: number;
}

/** The server's end of one WebSocket, small enough to misbehave in every way: fall silent, hang up, vanish. */
export class DiscordSocket {
  onText: (text: string) => void = () => {};
  onGone: () => void = () => {};
  readonly #stream: Duplex;
  #rest = Buffer.alloc(0);
  #silent = false;
  #gone = false;

  private constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => this.#read(chunk));
    stream.on('error', () => {});
    // Sockets of an upgrade stay half open on their own.
    stream.on('end', () => stream.destroy());
    stream.on('close', () => this.#leave());
  }

  /** Answers the handshake. */
  static accept(request: IncomingMessage, stream: Duplex, head: Buffer): DiscordSocket {
    const key = request.headers['sec-websocket-key'] ?? '';
    const accept = createHash('sha1')
      .update(key + GUID)
      .digest('base64');
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const socket = new DiscordSocket(stream);
    if (head.length > 0) socket.#read(head);
    return socket;
  }

  get open(): boolean {
    return !this.#gone;
  }

  send(body: object): void {
    if (!this.#gone && !this.#silent) this.#stream.write(frame(TEXT, Buffer.from(JSON.stringify(body))));
  }

  /** Says goodbye with a code and hangs up. */
  close(code: number): void {
    if (this.#gone) return;
    const data = Buffer.alloc(2);
    data.writeUInt16BE(code);
    this.#stream.write(frame(CLOSE, data));
    this.#stream.end();
    this.#leave();
  }

  /** The line is cut without a word. */
  cut(): void {
    this.#stream.destroy();
    this.#leave();
  }

  /** From now on nothing is read, answered or said, and the line stays up. */
  fallSilent(): void {
    this.#silent = true;
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.onGone();
  }

  #read(chunk: Buffer): void {
    if (this.#silent) return;
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let next = parse(this.#rest); next; next = parse(this.#rest)) {
      this.#rest = this.#rest.subarray(next.size);
      this.#take(next);
    }
  }

  #take({ op, data }: Frame): void {
    if (op === TEXT && !this.#gone) this.onText(data.toString('utf8'));
    if (op === PING) this.#stream.write(frame(PONG, data));
    if (op !== CLOSE) return;
    this.#stream.end(frame(CLOSE, data));
    this.#leave();
  }
}

function parse(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] as number) & 127;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const masked = ((bytes[1] as number) & 128) !== 0;
  const start = 2 + lengthBytes + (masked ? 4 : 0);
  if (bytes.length < start) return undefined;
  const length =
    lengthBytes === 2 ? bytes.readUInt16BE(2) : lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (bytes.length < start + length) return undefined;
  const data = Buffer.from(bytes.subarray(start, start + length));
  const mask = bytes.subarray(start - 4, start);
  if (masked) for (let i = 0; i < data.length; i++) data[i] = (data[i] as number) ^ (mask[i & 3] as number);
  return { op: (bytes[0] as number) & 15, data, size: start + length };
}

function frame(op: number, data: Buffer): Buffer {
  const head = data.length < 126 ? Buffer.alloc(2) : data.length < 65_536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head[0] = 128 | op;
  head[1] = data.length < 126 ? data.length : data.length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(data.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(data.length), 2);
  return Buffer.concat([head, data]);
}
