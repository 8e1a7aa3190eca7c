/** Imports lines with the importer of a checkout. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { noSettings } from "../../testing/programs.ts";

export interface ImportOptions {
  readonly checkout: string;
  readonly databaseUrl: string;
  readonly signal: AbortSignal;
}

type Lines = AsyncIterable<string> | Iterable<string>;

/** Of one import, which keeps them in temporary tables until it ends. */
const linesPerImport = 1_500_000;
const chunkCharacters = 256 * 1024;

/** @param firstLines every import begins with them. */
export async function importLines(
  lines: Lines,
  firstLines: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const iterator = Readable.from(lines)[Symbol.asyncIterator]();
  let isDone = false;
  async function* chunksOfImport(): AsyncGenerator<string> {
    let text = firstLines.map((line) => `${line}\n`).join("");
    for (let count = 0; count < linesPerImport; count++) {
      const next = await iterator.next();
      isDone = next.done === true;
      if (isDone) break;
      text += `${next.value}\n`;
      if (text.length < chunkCharacters) continue;
      yield text;
      text = "";
    }
    yield text;
  }
  while (!isDone) await runImport(chunksOfImport(), options);
}

async function runImport(chunks: AsyncIterable<string>, options: ImportOptions): Promise<void> {
  const { checkout, databaseUrl, signal } = options;
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
  const [sent, [exitCode]] = await Promise.all([
    // An importer that fails reads no further; its own message is then thrown below.
    pipeline(Readable.from(chunks), importer.stdin, { signal }).catch((error: Error) => error),
    once(importer, "close"),
  ]);
  if (exitCode !== 0) throw new Error(`Cannot load the data: ${stderr}`, { cause: sent });
  if (sent instanceof Error) throw sent;
}

const stderrCharactersMax = 4000;
