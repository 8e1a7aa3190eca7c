/**
 * Reads the answers of one HTTP/1.1 connection (RFC 9112), one after the other, and keeps nothing
 * of them but their status and size: a load generator must take less time than what it measures.
 */

export interface Answer {
  readonly status: number;
  readonly bodyBytes: number;
}

/** Calls `onAnswer` when an answer is there to its last byte. */
export class ResponseReader {
  readonly #onAnswer: (answer: Answer) => void;
  #state: "head" | "body" | "chunk size" | "chunk" | "trailer" = "head";
  /** A head or a line of which the end has not come yet. */
  #text = "";
  #bytesLeft = 0;
  #status = 0;
  #bodyBytes = 0;

  constructor(onAnswer: (answer: Answer) => void) {
    this.#onAnswer = onAnswer;
  }

  /** Throws when the bytes are no answers. */
  read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#state === "body" || this.#state === "chunk") at += this.#skip(bytes.length - at);
      else at = this.#readText(bytes, at);
    }
  }

  #skip(bytesThere: number): number {
    const skipped = Math.min(bytesThere, this.#bytesLeft);
    this.#bytesLeft -= skipped;
    if (this.#bytesLeft > 0) return skipped;
    if (this.#state === "body") this.#end();
    else this.#state = "chunk size";
    return skipped;
  }

  #readText(bytes: Buffer, at: number): number {
    const until = Math.min(bytes.length, at + textBytesMax);
    const before = this.#text.length;
    const text = this.#text + bytes.toString("latin1", at, until);
    const ending = this.#state === "head" ? "\r\n\r\n" : "\r\n";
    const end = text.indexOf(ending);
    if (end === -1) {
      if (text.length > textBytesMax) throw new Error("Cannot read an answer: its head has no end");
      this.#text = text;
      return until;
    }
    this.#text = "";
    if (this.#state === "head") this.#beginBody(text.slice(0, end));
    else if (this.#state === "chunk size") this.#beginChunk(text.slice(0, end));
    else if (end === 0) this.#end();
    return at + end + ending.length - before;
  }

  #beginBody(head: string): void {
    this.#status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (this.#status >= 200 && length !== undefined) {
      this.#bytesLeft = Number(length);
      this.#bodyBytes = this.#bytesLeft;
      this.#state = "body";
      if (this.#bytesLeft === 0) this.#end();
    } else if (this.#status >= 200 && /\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.#state = "chunk size";
    } else {
      throw new Error(`Cannot read an answer: got ${JSON.stringify(head.slice(0, 200))}`);
    }
  }

  #beginChunk(line: string): void {
    // The end of the chunk before comes as an empty line.
    if (line === "") return;
    const size = Number.parseInt(line, 16);
    if (Number.isNaN(size)) throw new Error(`Cannot read a chunk: got size ${line.slice(0, 20)}`);
    this.#bodyBytes += size;
    this.#bytesLeft = size;
    this.#state = size === 0 ? "trailer" : "chunk";
  }

  #end(): void {
    const answer = { status: this.#status, bodyBytes: this.#bodyBytes };
    this.#state = "head";
    this.#bodyBytes = 0;
    this.#onAnswer(answer);
  }
}

const textBytesMax = 16 * 1024;
