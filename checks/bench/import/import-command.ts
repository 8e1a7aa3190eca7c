/** Imports of lines and of a directory, first and second, beside a bare COPY of the same rows. */
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createLogger, openDatabase } from "@stowage/process";
import { makeTemporaryFolder } from "@stowage/process/testing";
import { type Command, InvalidArgumentError } from "commander";
import pg from "pg";
import { bucketLines } from "../data-set/data-set.ts";
import { generatedDataSet } from "../data-set/generated-data-set.ts";
import { type BenchmarkOptions, benchmarkCommand } from "../report/benchmark-command.ts";
import { markdownTable, threeDigits, wholeNumber } from "../report/tables.ts";
import { copyAgain } from "./copy-again.ts";
import { runImporter } from "./run-importer.ts";

interface ImportOptions extends BenchmarkOptions {
  readonly uploads: number;
  readonly files: number;
}

export function importCommand(signal: AbortSignal): Command {
  return benchmarkCommand<ImportOptions>(
    {
      name: "import",
      summary: "imports of lines and of a directory, beside COPY of the same rows",
      secondsDefault: 60,
      signal,
    },
    measureImports,
  )
    .option("--uploads <number>", "upload lines of the file", readCount, 200_000)
    .option("--files <number>", "files in the directory", readCount, 100_000);
}

function readCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("Need a whole number over 0.");
}

async function measureImports(
  { uploads, files }: ImportOptions,
  signal: AbortSignal,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const folder = await makeTemporaryFolder();
  stack.defer(() => folder.remove());
  const lines = join(folder.path, "uploads.ndjson");
  const text = Readable.from(linesOf(uploads));
  await pipeline(text, createWriteStream(lines), { signal });
  const directory = join(folder.path, "files");
  await makeFiles(directory, files);
  const bucket = ["--bucket", "files.example.com", "--organisation", "acme"];
  const rows = [
    ...(await measure(folder.path, `${wholeNumber(uploads)} lines`, ["ndjson", lines], signal)),
    ...(await measure(
      folder.path,
      `a directory of ${wholeNumber(files)} files`,
      ["dir", directory, ...bucket],
      signal,
    )),
  ];
  return markdownTable(["import of", "run", "seconds", "speed of COPY = 1"], rows);
}

function* linesOf(uploads: number): Generator<string> {
  for (const line of bucketLines) yield `${line}\n`;
  for (const line of generatedDataSet(uploads).lines() as Iterable<string>) yield `${line}\n`;
}

const filesPerFolder = 100;

async function makeFiles(directory: string, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const folder = Math.floor(number / filesPerFolder);
    const path = join(directory, `${folder % 50}`, `${folder}`, `file ${number}.txt`);
    if (number % filesPerFolder === 0) await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "x");
  }
}

/** What PostgreSQL's manual recommends for a server of its own. */
const serverSettings = { shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB` };

/** In a database of its own: two imports, and a COPY of what they wrote into the emptied tables. */
async function measure(
  folder: string,
  what: string,
  parameters: readonly string[],
  signal: AbortSignal,
): Promise<string[][]> {
  const path = join(folder, `database-${parameters[0]}`);
  const logger = createLogger({ name: "bench", level: "warn" });
  const dataDir = { path, isDefault: false };
  const { databaseUrl, close } = await openDatabase({ dataDir, logger, serverSettings });
  try {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const [first, second] = [
      await runImporter(databaseUrl, parameters, signal),
      await runImporter(databaseUrl, parameters, signal),
    ];
    const copy = await copyAgain(client, join(folder, "rows"));
    await client.end();
    const row = (run: string, seconds: number) => [
      what,
      run,
      threeDigits(seconds),
      threeDigits(copy / seconds),
    ];
    return [row("bare COPY", copy), row("first", first), row("second, unchanged", second)];
  } finally {
    await close();
  }
}
