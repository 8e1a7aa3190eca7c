/** Reads secrets from files and terminals. On a command line, process lists would show them. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { addAbortSignal, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ReadStream } from "node:tty";
import { checkPassword } from "../model/credentials.ts";

/** Long enough that a random secret cannot be guessed; short enough for a header. */
const clientSecretCharacters = { min: 32, max: 256 };

/**
 * Reads a client secret: the text of a file without the line break at its end.
 *
 * @throws Error when the file cannot be read or contains no secret; the message never shows it.
 */
export async function readClientSecret(file: string): Promise<string> {
  const secret = await readLine(file, "client secret");
  const { min, max } = clientSecretCharacters;
  if (secret.length < min || secret.length > max || !/^[\x20-\x7e]*$/.test(secret)) {
    throw new Error(
      `Cannot use the client secret in ${file}: got ${secret.length} characters, ` +
        `need ${min} to ${max} of printable ASCII on one line`,
    );
  }
  return secret;
}

/**
 * Reads a password from `file`, or from stdin if `file` is `-` or stdin is not a terminal. On a
 * terminal it asks for the password twice and does not show it.
 *
 * @param signal ends the reading. While the terminal asks, Ctrl-C is only a key: it aborts this.
 * @throws Error when the password cannot be read or used; the message never shows it.
 */
export async function readPassword(file: string | undefined, signal: AbortSignal): Promise<string> {
  const password = await readPasswordText(file, signal);
  checkPassword(password);
  return password;
}

async function readPasswordText(file: string | undefined, signal: AbortSignal): Promise<string> {
  if (file === "-" || (file === undefined && !process.stdin.isTTY)) {
    return withoutLineBreak(await text(addAbortSignal(signal, process.stdin)));
  }
  if (file !== undefined) return await readLine(file, "password");
  return await askTwice(process.stdin, signal);
}

async function readLine(file: string, what: string): Promise<string> {
  const content = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === "ENOENT" ? new Error("there is no such file") : cause;
    throw new Error(`Cannot read the ${what} from ${file}`, { cause: why });
  });
  return withoutLineBreak(content);
}

function withoutLineBreak(content: string): string {
  return content.replace(/\r?\n$/, "");
}

async function askTwice(terminal: ReadStream, signal: AbortSignal): Promise<string> {
  const password = await ask(terminal, "Password: ", signal);
  if ((await ask(terminal, "Once more: ", signal)) === password) return password;
  throw new Error("Cannot use the password: the two are not the same");
}

/** Asks for a line. Without an output, readline does not show what is typed. */
export async function ask(
  terminal: Readable,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  process.stderr.write(question);
  const lines = createInterface({ input: terminal, terminal: true });
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    const read = [once(lines, "line", { signal }), once(lines, "close", { signal })];
    const [line] = (await Promise.race(read)) as [string?];
    if (line === undefined) throw new Error("Cannot read the password: the input ended");
    return line;
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
