/** `stowage get`: downloads a file. */
import { constants, type Stats } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { printable, printText } from "@stowage/process/usage";
import { Command } from "commander";
import { connectionHelp } from "../access/connection.ts";
import { addContentOptions, type ContentOptions, linkContent } from "../access/content-link.ts";
import { openPart, partFileOf, writeAt } from "../access/part-file.ts";
import { readContent } from "../access/read-content.ts";
import { write } from "../command-line.ts";
import { formatSize } from "../output/format.ts";

interface GetOptions extends ContentOptions {
  readonly output?: string;
  readonly force?: true;
}

/** For one download; the time that it takes does not matter once it has begun. */
const linkSeconds = 300;

const help = `
The file is saved in the current folder under its own name, or in the folder that --output names.
Until the download is complete, its content is in a file beside it whose name ends in .part. To
continue an interrupted download, run the same command again. A device or a named pipe is written
into as the content arrives.
The command checks that the size is the one in the index.
${connectionHelp}
Examples:
  stowage get /photos/cat.jpg
  stowage get /logs/2026.log.gz --output - | zcat | less
`;

/** The command, for `main.ts`. */
export function getCommand(): Command {
  const command = new Command("get").description("Downloads a file.");
  return addContentOptions(command)
    .option("-o, --output <file>", "file or folder to save it in; - is stdout")
    .option("--force", "replace a file that exists")
    .addHelpText("after", help)
    .action(get);
}

async function get(path: string, options: GetOptions): Promise<void> {
  const { output, force } = options;
  const link = { expiresInSeconds: linkSeconds, attachment: true };
  const { upload, url } = await linkContent(path, options, link, "read");
  const content = { path, upload, url };
  if (output === "-") return await print(content);
  const { file, stats } = await findDestination(content, output ?? ".");
  if (stats !== undefined && !stats.isFile()) await writeInto(content, file);
  else if (stats === undefined || force) await download(content, file);
  else throw new Error(`Cannot save ${path}: ${file} exists; use --force to replace it`);
  printText(`saved ${printable(file)} (${formatSize(upload.sizeBytes)})\n`, process.stderr);
}

/** The content of a file. */
interface Content {
  /** As the user named it. */
  readonly path: string;
  readonly upload: Upload;
  readonly url: string;
}

interface Destination {
  readonly file: string;
  /** Undefined if it does not exist. */
  readonly stats: Stats | undefined;
}

async function findDestination({ path, upload }: Content, output: string): Promise<Destination> {
  const stats = await statOf(output);
  if (stats === undefined && output.endsWith("/")) throw noFolder(path, output);
  if (!stats?.isDirectory()) return { file: output, stats };
  const { filename } = upload;
  if (!isPlainName(filename)) {
    throw new Error(`Cannot save ${path}: its name cannot be a file name; name one with --output`);
  }
  const file = join(output, filename);
  const inside = await statOf(file);
  if (inside?.isDirectory()) throw new Error(`Cannot save ${path}: ${file} is a folder`);
  return { file, stats: inside };
}

/** Undefined for a file that cannot be: opening it says why. */
async function statOf(file: string): Promise<Stats | undefined> {
  return await stat(file).catch(() => undefined);
}

async function print(content: Content): Promise<void> {
  for await (const chunk of wholeOf(content)) await write(chunk);
  await write("");
}

/** Writes into a device or a named pipe. It must not be replaced, and cannot be continued. */
async function writeInto(content: Content, file: string): Promise<void> {
  const handle = await open(file, constants.O_WRONLY).catch((cause: unknown) => {
    throw new Error(`Cannot save ${content.path}`, { cause });
  });
  try {
    await handle.writeFile(wholeOf(content));
  } finally {
    await handle.close();
  }
}

async function* wholeOf({ path, upload, url }: Content): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  const { content } = await contentFrom(path, url, 0);
  for await (const chunk of content) {
    sizeBytes += chunk.length;
    yield chunk;
  }
  requireSize(path, upload, sizeBytes);
}

async function download({ path, upload, url }: Content, file: string): Promise<void> {
  const part = partFileOf(file, upload);
  const handle = await openPart(part, upload).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") throw noFolder(path, dirname(file));
    throw new Error(`Cannot save ${path}`, { cause });
  });
  try {
    const { size: begun } = await handle.stat();
    if (BigInt(begun) < upload.sizeBytes) {
      const { content, start } = await contentFrom(path, url, begun);
      await writeAt(handle, start, content);
    }
    await handle.sync();
    requireSize(path, upload, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
  try {
    await rename(part, file);
  } catch (error) {
    // Another command that downloads the same has saved it meanwhile.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw new Error(`Cannot save ${path}`, { cause: error });
  }
}

function noFolder(path: string, folder: string): Error {
  return new Error(`Cannot save ${path}: there is no folder ${folder}`);
}

/** The content from there on. Stores and proxies that do not know ranges give it from the start. */
async function contentFrom(
  path: string,
  url: string,
  from: number,
): Promise<{ readonly content: IncomingMessage; readonly start: number }> {
  const answer = await readContent(url, from > 0 ? { range: `bytes=${from}-` } : {});
  if (answer.statusCode === 200) return { content: answer, start: 0 };
  if (answer.statusCode === 206 && from > 0) return { content: answer, start: from };
  throw new Error(`Cannot read ${path}: ${await refusalOf(answer)}`);
}

const refusalBytesMax = 2000;

async function refusalOf(answer: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of answer) {
    body += chunk;
    if (body.length > refusalBytesMax) break;
  }
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    if (typeof message === "string") return message;
  } catch {
    // A store answers in a form of its own.
  }
  return `the answer is ${answer.statusCode} ${answer.statusMessage}`;
}

function requireSize(path: string, upload: Upload, sizeBytes: number): void {
  if (BigInt(sizeBytes) === upload.sizeBytes) return;
  throw new Error(
    `Cannot read all of ${path}: got ${sizeBytes} of ${upload.sizeBytes} bytes; try again`,
  );
}

function isPlainName(name: string): boolean {
  return name !== "." && name !== ".." && !/[/\\\0]/.test(name);
}
