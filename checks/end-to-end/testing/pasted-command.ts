/** Runs the commands that a program printed, as if pasted into a shell. */
import { startProcess } from "@stowage/process/testing";

/** The `curl` commands in the output of a program, each after the line that sets its token. */
export function curlCommandsIn(text: string): string[] {
  const [tokenLine = ""] = /^TOKEN=\S+$/m.exec(text) ?? [];
  const commands = text.matchAll(/^curl (?:.*\\\n)*.*$/gm);
  return Array.from(commands, ([command]) => `${tokenLine}\n${command}`);
}

/** Runs a command in a shell with the real curl. Undefined if there is none. */
export async function pasteForReal(command: string): Promise<unknown> {
  const { exitCode } = await startProcess("sh", ["-c", "command -v curl"]).ended;
  if (exitCode !== 0) return undefined;
  const { stdout } = await startProcess("sh", ["-c", command]).ended;
  return JSON.parse(stdout);
}

/** Does what curl would do with the command's parameters, as a shell parses them. */
export async function paste(command: string): Promise<unknown> {
  const shell = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const { stdout } = await startProcess("sh", ["-c", shell]).ended;
  const [flags, url = "", ...options] = stdout.split("\0").slice(0, -1);
  if (flags !== "-sS") throw new Error(`Cannot do what ${command} says: got ${flags}, need -sS`);
  const headers: [string, string][] = [];
  let body = "";
  for (let at = 0; at < options.length; at += 2) {
    const [option, value = ""] = options.slice(at, at + 2);
    if (option === "-d") body = value;
    else if (option === "-H") headers.push(value.split(": ", 2) as [string, string]);
    else throw new Error(`Cannot do what ${command} says: got ${option}, need -H or -d`);
  }
  const response = await fetch(url, { method: "POST", headers, body });
  if (response.status === 200) return response.json();
  throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
}
