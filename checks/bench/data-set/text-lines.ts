/** The lines of a text file, which may be packed by gzip or xz: its name tells. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/** Reads no further than is asked for. Throws when the file cannot be read to its end. */
export async function* textLines(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of file.endsWith(".xz") ? unpackedByXz(file) : plainChunks(file)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function plainChunks(file: string): Readable {
  const input = createReadStream(file);
  if (!file.endsWith(".gz")) return input;
  // An error of either is thrown to whoever reads the last one.
  return pipeline(input, createGunzip(), () => undefined);
}

/** By the program of that name: Node has gzip, but not xz. */
async function* unpackedByXz(file: string): AsyncGenerator<Buffer> {
  const xz = spawn("xz", ["--decompress", "--stdout", "--", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(xz, "close");
  // Told below to whoever reads to the end.
  ended.catch(() => undefined);
  try {
    yield* xz.stdout as AsyncIterable<Buffer>;
    const [exitCode] = await ended;
    if (exitCode !== 0) throw new Error(`xz ended with ${exitCode}`);
  } catch (error) {
    throw new Error(`Cannot unpack ${file}: need the program xz, or a file of another kind`, {
      cause: error,
    });
  } finally {
    xz.kill();
  }
}
