/** `stowage get`: downloads a file. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, type FileHandle, open, rename, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname } from "node:path";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { Command } from "commander";
import { connectionHelp } from "../access/connection.ts";
import { addContentOptions, type ContentOptions, linkContent } from "../access/content-link.ts";
import { readContent } from "../access/read-content.ts";
import { write } from "../command-line.ts";
import { escapeControls, formatSize } from "../output/format.ts";

interface GetOptions extends ContentOptions {
  readonly output?: string;
  readonly force?: true;
}

/** For one download; the time that it takes does not matter once it has begun. */
const linkSeconds = 300;

const help = `
The file is saved in the current folder under its own name. Until the download is complete, its
content is in a file beside it whose name ends in .part. To continue an interrupted download, run
the same command again.
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
    .option("-o, --output <file>", "where to save it; - is stdout")
    .option("--force", "replace a file that exists")
    .addHelpText("after", help)
    .action(get);
}

async function get(path: string, options: GetOptions): Promise<void> {
  const { output, force } = options;
  const link = { expiresInSeconds: linkSeconds, attachment: true };
  const { upload, url } = await linkContent(path, options, link, "read");
  if (output === "-") return await print(path, upload, url);
  const file = output ?? upload.filename;
  if (!isPlainName(upload.filename) && output === undefined) {
    throw new Error(`Cannot save ${path}: its name cannot be a file name; use --output`);
  }
  if (!force && (await exists(file))) {
    throw new Error(`Cannot save ${path}: ${file} exists; use --force to replace it`);
  }
  await download(path, upload, url, file);
  process.stderr.write(`saved ${escapeControls(file)} (${formatSize(upload.sizeBytes)})\n`);
}

async function print(path: string, upload: Upload, url: string): Promise<void> {
  let sizeBytes = 0;
  const { content } = await contentFrom(path, url, 0);
  for await (const chunk of content) {
    sizeBytes += chunk.length;
    if (!process.stdout.write(chunk)) await new Promise((go) => process.stdout.once("drain", go));
  }
  await write("");
  requireSize(path, upload, sizeBytes);
}

async function download(path: string, upload: Upload, url: string, file: string): Promise<void> {
  const part = `${file}.${versionOf(upload)}.part`;
  const handle = await openPart(part, upload).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === "ENOENT" ? `there is no folder ${dirname(file)}` : cause.message;
    throw new Error(`Cannot save ${path}: ${reason}`);
  });
  try {
    const { size: begun } = await handle.stat();
    if (BigInt(begun) < upload.sizeBytes) {
      // At a position, not at the end: another command may download the same content into the file.
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

async function writeAt(handle: FileHandle, start: number, content: AsyncIterable<Buffer>) {
  let at = start;
  for await (const chunk of content) {
    for (let rest = chunk; rest.length > 0; ) {
      const { bytesWritten } = await handle.write(rest, 0, rest.length, at);
      at += bytesWritten;
      rest = rest.subarray(bytesWritten);
    }
  }
}

async function openPart(part: string, { sizeBytes }: Upload): Promise<FileHandle> {
  const handle = await open(part, constants.O_RDWR | constants.O_CREAT, 0o666);
  if (BigInt((await handle.stat()).size) <= sizeBytes) return handle;
  // It is not a part of this content.
  await handle.close();
  await rm(part);
  return await open(part, "wx+");
}

/** Another content has another part file, so that parts of two are never joined. */
function versionOf({ uploadId, sizeBytes, updatedAt }: Upload): string {
  const text = [uploadId, sizeBytes, updatedAt?.seconds, updatedAt?.nanos].join(" ");
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
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

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
