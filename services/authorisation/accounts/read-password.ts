/** Where a new password comes from: not from the command line, which lists of processes show. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { ReadStream } from "node:tty";
import { checkPassword } from "./password.ts";

/**
 * Reads a password: the text of `file` without the line break at its end, of stdin where that is
 * `-` or not a terminal, or what somebody types there, twice and unseen.
 *
 * @throws Error when it cannot be read or used; the password is not shown.
 */
export async function readPassword(file: string | undefined): Promise<string> {
  const password = await readText(file);
  checkPassword(password);
  return password;
}

async function readText(file: string | undefined): Promise<string> {
  if (file === "-" || (file === undefined && !process.stdin.isTTY)) {
    return withoutLineBreak(await text(process.stdin));
  }
  if (file === undefined) return await ask(process.stdin);
  const content = await readFile(file, "utf8").catch((cause: Error) => {
    throw new Error(`Cannot read the password from ${file}`, { cause });
  });
  return withoutLineBreak(content);
}

function withoutLineBreak(content: string): string {
  return content.replace(/\r?\n$/, "");
}

async function ask(terminal: ReadStream): Promise<string> {
  const password = await askOnce(terminal, "Password: ");
  if ((await askOnce(terminal, "Once more: ")) === password) return password;
  throw new Error("Cannot use the password: the two are not the same");
}

/** Without an output, readline shows nothing of what is typed. */
async function askOnce(terminal: ReadStream, question: string): Promise<string> {
  process.stderr.write(question);
  const lines = createInterface({ input: terminal, terminal: true });
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    const [line] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as [string?];
    if (line === undefined) throw new Error("Cannot read the password: the input ended");
    return line;
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
