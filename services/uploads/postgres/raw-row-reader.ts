/**
 * Takes the rows out of what the server sends, as bytes. The driver makes strings of them, of which
 * the answer would make bytes again. Everything else goes on to the driver.
 *
 * See "Message Formats" in the PostgreSQL manual.
 */

/** A message begins with a letter and a length, which includes itself. */
const headerBytes = 5;
/** Of the messages that hold rows: DataRow. */
const rowLetter = "D".charCodeAt(0);

export class RawRowReader {
  /**
   * Gets the rows while it is set: the bytes, and the start and end of the message after its
   * header. A view of the bytes would cost more than the rest. The bytes change after the call.
   */
  onRow: ((bytes: Buffer, start: number, end: number) => void) | undefined;
  readonly #forward: (chunk: Buffer) => void;
  /** Bytes of a forwarded message that have not arrived. */
  #forwardingBytes = 0;
  /** The beginning of an incomplete message, and the length that it must reach. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #neededBytes = 0;

  /** @param forward the driver's own parser. It may keep a reference to its argument. */
  constructor(forward: (chunk: Buffer) => void) {
    this.#forward = forward;
  }

  /** @param chunk is not used after the call, so its memory can be reused. */
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
    let forwarded = 0;
    let position = Math.min(this.#forwardingBytes, bytes.length);
    this.#forwardingBytes -= position;
    while (position < bytes.length) {
      const left = bytes.length - position;
      const size = left < headerBytes ? headerBytes : 1 + bytes.readUInt32BE(position + 1);
      const isRow = this.onRow !== undefined && bytes[position] === rowLetter;
      if (left < headerBytes || (isRow && left < size)) {
        this.#hold(bytes.subarray(position), size);
        break;
      }
      if (isRow) {
        if (forwarded < position) this.#forward(Buffer.from(bytes.subarray(forwarded, position)));
        this.onRow?.(bytes, position + headerBytes, position + size);
        forwarded = position + size;
      }
      this.#forwardingBytes = Math.max(0, size - left);
      position += Math.min(size, left);
    }
    if (forwarded < position) this.#forward(Buffer.from(bytes.subarray(forwarded, position)));
  }

  #hold(bytes: Buffer, neededBytes: number): void {
    this.#held = [Buffer.from(bytes)];
    this.#heldBytes = bytes.length;
    this.#neededBytes = neededBytes;
  }
}
