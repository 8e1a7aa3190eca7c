/** Brings lines into a database as everyone does: by the service's own importer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { noSettings } from "../../testing/programs.ts";
import { wholeNumber } from "../frame/figures.ts";

export interface ImportLinesOptions {
  /** The checkout whose importer runs. */
  readonly checkout: string;
  readonly databaseUrl: string;
  readonly signal: AbortSignal;
  /** Every import begins with these. */
  readonly bucketLines: readonly string[];
}

/** Of one import, which keeps all of them in temporary tables until it ends. */
const linesPerImport = 1_500_000;

/** Imports all lines, in several imports where they are many. */
export async function importLines(
  lines: AsyncIterable<string> | Iterable<string>,
  { bucketLines, ...options }: ImportLinesOptions,
): Promise<void> {
  const taken = new CountedLines(lines);
  do {
    const beginning = bucketLines.map((line) => `${line}\n`).join("");
    await importOnce(taken.chunks(linesPerImport, beginning), options);
  } while (!taken.isDone);
}

async function importOnce(
  chunks: AsyncIterable<string>,
  { checkout, databaseUrl, signal }: Omit<ImportLinesOptions, "bucketLines">,
): Promise<void> {
  const settings = { ...noSettings, DATABASE_URL: databaseUrl, LOG_LEVEL: "warn" };
  const importer = spawn(process.execPath, ["clients/cli/main.ts", "import", "ndjson", "-"], {
    cwd: checkout,
    env: { ...process.env, ...settings },
    stdio: ["pipe", "ignore", "pipe"],
    signal,
  });
  let stderr = "";
  importer.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-stderrCharactersMax);
  });
  const ended = once(importer, "close");
  const sending = pipeline(Readable.from(chunks), importer.stdin, { signal });
  const [sent, [exitCode]] = await Promise.all([
    // An importer that gives up reads no further: its own words come first.
    sending.catch((error: Error) => error),
    ended,
  ]);
  if (exitCode !== 0) throw new Error(`Cannot load the data: ${stderr}`, { cause: sent });
  if (sent instanceof Error) throw sent;
}

const stderrCharactersMax = 4000;

/** Lines that are taken some at a time, with news of how it goes. */
class CountedLines {
  isDone = false;
  readonly #iterator: AsyncIterator<string> | Iterator<string>;
  readonly #startMs = performance.now();
  #newsMs = this.#startMs;
  #count = 0;

  constructor(lines: AsyncIterable<string> | Iterable<string>) {
    this.#iterator =
      Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]();
  }

  /** The next lines, in texts worth sending. */
  async *chunks(linesMax: number, beginning: string): AsyncGenerator<string> {
    let text = beginning;
    for (let taken = 0; taken < linesMax; taken++) {
      const { done, value } = await this.#iterator.next();
      this.isDone = done === true;
      if (this.isDone) break;
      text += `${value}\n`;
      this.#count += 1;
      if (text.length < chunkCharacters) continue;
      yield text;
      text = "";
      this.#tell();
    }
    yield text;
  }

  #tell(): void {
    const nowMs = performance.now();
    if (nowMs - this.#newsMs < newsEveryMs) return;
    this.#newsMs = nowMs;
    const perSecond = (this.#count / (nowMs - this.#startMs)) * 1000;
    const figures = `${wholeNumber(this.#count)} lines, ${wholeNumber(perSecond)} a second`;
    process.stderr.write(`bench: loading: ${figures}\n`);
  }
}

const chunkCharacters = 256 * 1024;
const newsEveryMs = 10_000;
