import { writeSync } from "node:fs";

/** More than a pipe holds, and little beside the memory of a program. */
const charactersMax = 1024 * 1024;
/** After this time, writing is tried again. */
const retryMs = 50;
/** How long the exit of a program may wait until its last lines can be written. */
const exitMs = 500;
const exitPauseMs = 5;

/**
 * Writes log lines to stderr without ever waiting for its reader. Lines of one turn of the event
 * loop are written together. If the pipe is full, up to 1 MiB of lines is held; further lines are
 * dropped and counted. The exit of the process waits at most 500 ms for the held lines.
 *
 * Node's asynchronous writes to a file descriptor are no alternative: on a pipe that nobody reads,
 * they block a thread, which the exit of the process waits for. Nor are pino's destinations: when
 * they write what is left at the exit, they try for ever if the reader is gone.
 */
export class LogDestination {
  /** Called when lines were dropped and there is room again. */
  onDropped: (count: number) => void = () => {};
  readonly #lines: string[] = [];
  #lineCharacters = 0;
  /** Lines of which only a part has been written. */
  #unwritten: Buffer = Buffer.alloc(0);
  #dropped = 0;
  #isScheduled = false;
  #isClosed = false;

  constructor() {
    // Makes the file descriptor of a pipe or a socket non-blocking.
    process.stderr;
    process.once("exit", () => this.#writeAtExit());
  }

  write(line: string): void {
    const held = this.#unwritten.length + this.#lineCharacters;
    if (this.#isClosed || held + line.length > charactersMax) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#lineCharacters += line.length;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#writeScheduled());
  }

  /** Writes what there is room for. Returns whether that was all. */
  #flush(): boolean {
    while (this.#unwritten.length + this.#lineCharacters > 0) {
      if (this.#unwritten.length === 0) this.#takeLines();
      try {
        this.#unwritten = this.#unwritten.subarray(writeSync(2, this.#unwritten));
      } catch (error) {
        // A full pipe or disk may be temporary. Without a reader, the lines are of no use.
        if ((error as NodeJS.ErrnoException).code !== "EPIPE") return false;
        this.#isClosed = true;
        this.#unwritten = Buffer.alloc(0);
      }
    }
    return true;
  }

  #takeLines(): void {
    this.#unwritten = Buffer.from(this.#lines.join(""));
    this.#lines.length = 0;
    this.#lineCharacters = 0;
  }

  #writeScheduled(): void {
    this.#isScheduled = false;
    if (!this.#flush()) {
      this.#isScheduled = true;
      setTimeout(() => this.#writeScheduled(), retryMs).unref();
    } else if (this.#dropped > 0 && !this.#isClosed) {
      const count = this.#dropped;
      this.#dropped = 0;
      this.onDropped(count);
    }
  }

  #writeAtExit(): void {
    const endMs = performance.now() + exitMs;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!this.#flush() && performance.now() < endMs) Atomics.wait(pause, 0, 0, exitPauseMs);
  }
}
