/**
 * Rows of the database as the bytes that came, for those who pass them on: the driver would make
 * texts of them, of which the answer then makes bytes again.
 *
 * A tap stands before the driver's own reading of a connection. It takes out the rows while
 * somebody wants them, and lets everything else through as it is.
 */
import pg from "pg";

/** Of PostgreSQL's messages, which all begin with a letter and a length that counts itself. */
const headerBytes = 5;
const rowLetter = 0x44; // D

export class RowTap {
  /**
   * Gets the rows, as long as it is there: where in the bytes lies what follows a message's header
   * (DataRow). A view of it would cost more than to take it out.
   */
  take: ((bytes: Buffer, start: number) => void) | undefined;
  readonly #pass: (chunk: Buffer) => void;
  /** Bytes of a message let through that are still to come. */
  #passing = 0;
  /** The beginning of a message that is not whole, and how long that must become. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #neededBytes = 0;

  /** @param pass the driver's own reading. */
  constructor(pass: (chunk: Buffer) => void) {
    this.#pass = pass;
  }

  read(chunk: Buffer): void {
    const bytes = this.#joinHeld(chunk);
    if (bytes === undefined) return;
    let passed = 0;
    let position = Math.min(this.#passing, bytes.length);
    this.#passing -= position;
    while (position < bytes.length) {
      const left = bytes.length - position;
      const size = left < headerBytes ? headerBytes : 1 + bytes.readUInt32BE(position + 1);
      const isRow = this.take !== undefined && bytes[position] === rowLetter;
      if (left < headerBytes || (isRow && left < size)) {
        this.#hold(bytes.subarray(position), size);
        break;
      }
      if (isRow) {
        if (passed < position) this.#pass(bytes.subarray(passed, position));
        this.take?.(bytes, position + headerBytes);
        passed = position + size;
      }
      this.#passing = Math.max(0, size - left);
      position += Math.min(size, left);
    }
    if (passed < position) this.#pass(bytes.subarray(passed, position));
  }

  #hold(bytes: Buffer, neededBytes: number): void {
    this.#held = [bytes];
    this.#heldBytes = bytes.length;
    this.#neededBytes = neededBytes;
  }

  #joinHeld(chunk: Buffer): Buffer | undefined {
    if (this.#heldBytes === 0) return chunk;
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes < this.#neededBytes) return undefined;
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return bytes;
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
    super(config);
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
