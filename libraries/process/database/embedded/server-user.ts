/**
 * The user that the database server runs as. PostgreSQL refuses to run as root, so a root program
 * runs it as another user. Any other program runs it as its own user.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The user to run the server as; undefined for the program's own user. */
export async function chooseServerUser(cluster: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // The owner of an existing cluster, since no other user could read it.
  const owner = await stat(cluster).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  return findUser(passwd, "postgres") ?? findUser(passwd, "nobody") ?? { uid: 65_534, gid: 65_534 };
}

function findUser(passwd: string, name: string): ServerUser | undefined {
  const fields = passwd
    .split("\n")
    .find((line) => line.startsWith(`${name}:`))
    ?.split(":");
  const uid = Number(fields?.[2]);
  const gid = Number(fields?.[3]);
  return uid > 0 && gid > 0 ? { uid, gid } : undefined;
}

interface CommandResult {
  /** Exit code, or the name of the signal that ended the command. */
  readonly code: number | NodeJS.Signals;
  /** Its stdout, and then its stderr. */
  readonly output: string;
}

interface RunOptions {
  /** The command is killed after this time. */
  readonly timeoutMs: number;
  /** A file descriptor that the command and its children get as 3. */
  readonly inherited?: number | undefined;
}

export const serverEnvironment = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Runs a command as the server's user, in `/`. Its environment has only PATH, the C locale and UTC,
 * so that settings of other PostgreSQL installations have no effect.
 *
 * @throws if it cannot be started.
 */
export async function runAsServerUser(
  user: ServerUser | undefined,
  command: string,
  arguments_: readonly string[],
  options: RunOptions,
): Promise<CommandResult> {
  try {
    return await run(user, command, arguments_, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isForbidden = user !== undefined && (code === "EINVAL" || code === "EPERM");
    const advice = isForbidden
      ? ` as user ${user.uid}, and PostgreSQL does not run as root: ` +
        "start as an ordinary user, or give DATABASE_URL"
      : "";
    throw new Error(`Cannot run ${command}${advice}`, { cause: error });
  }
}

async function run(
  user: ServerUser | undefined,
  command: string,
  arguments_: readonly string[],
  { timeoutMs, inherited }: RunOptions,
): Promise<CommandResult> {
  const child = spawn(command, arguments_, {
    ...user,
    cwd: "/",
    env: serverEnvironment,
    // Own process group: Ctrl-C must reach only the program, which stops the server gracefully.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", ...(inherited === undefined ? [] : [inherited])],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  const [[code, signal], ...texts] = await Promise.all([
    once(child, "close"),
    text(child.stdout as Readable),
    text(child.stderr as Readable),
  ]);
  return { code: code ?? signal, output: texts.join("").trim() };
}

/** Whether the server's user can enter a folder. Tries it, since modes do not decide alone. */
export async function canEnter(user: ServerUser | undefined, folder: string): Promise<boolean> {
  const enter = ["-c", 'cd -- "$1"', "sh", folder];
  const { code } = await runAsServerUser(user, "/bin/sh", enter, { timeoutMs: 10_000 });
  return code === 0;
}
