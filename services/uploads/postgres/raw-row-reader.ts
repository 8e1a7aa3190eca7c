/**
 * Rows of the database as the bytes that came, for those who pass them on: the driver would make
 * texts of them, of which the answer then makes bytes again.
 *
 * A tap stands before the driver's own reading of a connection. It takes out the rows while
 * somebody wants them, and lets everything else through as it is.
 */
import { Socket } from "node:net";
import pg from "pg";

/** Of PostgreSQL's messages, which all begin with a letter and a length that counts itself. */
const headerBytes = 5;
/** A statement's rows come in messages of one of these kinds: DataRow, or CopyData of a COPY. */
const rowLetters: ReadonlySet<number | undefined> = new Set([..."Dd"].map(codeOf));

function codeOf(letter: string): number {
  return letter.charCodeAt(0);
}

export class RowTap {
  /**
   * Gets the rows, as long as it is there: where in the bytes lies what follows a message's header.
   * A view of it would cost more than to take it out. The bytes change afterwards.
   */
  take: ((bytes: Buffer, start: number, end: number) => void) | undefined;
  readonly #pass: (chunk: Buffer) => void;
  /** Bytes of a message let through that are still to come. */
  #passing = 0;
  /** The beginning of a message that is not whole, and how long that must become. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #neededBytes = 0;

  /** @param pass the driver's own reading; what it is given stays as it is. */
  constructor(pass: (chunk: Buffer) => void) {
    this.#pass = pass;
  }

  /** @param chunk not looked at later, so that its memory may take in the next. */
  read(chunk: Buffer): void {
    if (this.#heldBytes === 0) {
      this.#readFrom(chunk);
      return;
    }
    const end = this.#neededBytes - this.#heldBytes;
    this.#held.push(Buffer.from(chunk.subarray(0, end)));
    this.#heldBytes += Math.min(end, chunk.length);
    if (this.#heldBytes < this.#neededBytes) return;
    const message = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#readFrom(message);
    if (end < chunk.length) this.read(chunk.subarray(end));
  }

  #readFrom(bytes: Buffer): void {
    let passed = 0;
    let position = Math.min(this.#passing, bytes.length);
    this.#passing -= position;
    while (position < bytes.length) {
      const left = bytes.length - position;
      const size = left < headerBytes ? headerBytes : 1 + bytes.readUInt32BE(position + 1);
      const isRow = this.take !== undefined && rowLetters.has(bytes[position]);
      if (left < headerBytes || (isRow && left < size)) {
        this.#hold(bytes.subarray(position), size);
        break;
      }
      if (isRow) {
        if (passed < position) this.#pass(Buffer.from(bytes.subarray(passed, position)));
        this.take?.(bytes, position + headerBytes, position + size);
        passed = position + size;
      }
      this.#passing = Math.max(0, size - left);
      position += Math.min(size, left);
    }
    if (passed < position) this.#pass(Buffer.from(bytes.subarray(passed, position)));
  }

  #hold(bytes: Buffer, neededBytes: number): void {
    this.#held = [Buffer.from(bytes)];
    this.#heldBytes = bytes.length;
    this.#neededBytes = neededBytes;
  }
}

/** The parts of the driver's connection that are used here. */
interface Connection {
  attachListeners(stream: ByteStream): void;
}
interface ByteStream {
  on(event: string, listener: (chunk: Buffer) => void): unknown;
}

const taps = new WeakMap<object, RowTap>();

/** The tap of the driver's connection; none where its client is not a `TappedClient`. */
export function tapOf(connection: object): RowTap | undefined {
  return taps.get(connection);
}

/** A client for a pool, whose connection has a tap. */
export class TappedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    const options = typeof config === "string" ? { connectionString: config } : config;
    super({ ...options, stream: openSocket as () => Socket });
    const { connection } = this as unknown as { connection: Connection };
    const attachListeners = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      attachListeners({
        on(event, listener) {
          if (event !== "data") return stream.on(event, listener);
          const tap = new RowTap(listener);
          taps.set(connection, tap);
          return stream.on(event, (chunk) => tap.read(chunk));
        },
      });
    };
  }
}

const readBytesMax = 64 * 1024;

/**
 * The socket of a connection. It reads into the same memory over and over: new memory for every
 * piece that comes makes the collector go through all there is many times a second. Where the
 * connection is encrypted, pieces are made anew in any case.
 */
function openSocket({ ssl }: { readonly ssl?: unknown } = {}): Socket {
  if (ssl) return new Socket();
  const onread = {
    buffer: Buffer.allocUnsafeSlow(readBytesMax),
    callback(size: number, { buffer }: Uint8Array) {
      socket.emit("data", Buffer.from(buffer, 0, size));
      return true;
    },
  };
  // Node's own types know the option only where a connection is made at once.
  const socket = new Socket({ onread } as ConstructorParameters<typeof Socket>[0]);
  return socket;
}
