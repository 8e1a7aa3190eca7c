import { type ChildProcess, spawn } from "node:child_process";

/** A process that a test started. It is killed at the latest when the test's own process exits. */
export interface StartedProcess {
  readonly processId: number;
  /** The first line of stdout that matches. Rejects when the process ends without one. */
  line(pattern: RegExp): Promise<string>;
  /** Its stdout so far. */
  stdout(): string;
  /** Its stderr so far, with the logs. */
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<EndedProcess>;
}

export interface EndedProcess {
  /** 0 to 255, or null when a signal ended the process. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly cwd?: string | undefined;
  /** Added to the test's own environment; undefined removes a name. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Passes nothing of the test's own environment, except the compile cache. */
  readonly bareEnv?: boolean;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** The text that it can read from stdin; nothing by default. */
  readonly input?: string | undefined;
}

/** Starts Node, the one that runs the test, with the given arguments. */
export function startNode(
  arguments_: readonly string[],
  options: StartOptions = {},
): StartedProcess {
  return startProcess(process.execPath, arguments_, options);
}

/** Starts a program and collects what it writes. */
export function startProcess(
  command: string,
  arguments_: readonly string[],
  { env, bareEnv = false, input, ...options }: StartOptions = {},
): StartedProcess {
  const { NODE_COMPILE_CACHE } = process.env;
  const child = spawn(command, arguments_, {
    ...options,
    env: { ...(bareEnv ? { NODE_COMPILE_CACHE } : process.env), ...env },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  // A program that rejects its input may end before it has read all of it.
  child.stdin?.on("error", () => undefined).end(input);
  const killAtExit = () => child.kill("SIGKILL");
  process.once("exit", killAtExit);

  const written = collect(child);
  const ended = new Promise<EndedProcess>((resolve, reject) => {
    child.once("error", reject).once("close", (exitCode, signal) => {
      process.off("exit", killAtExit);
      resolve({ exitCode, signal, stdout: written.stdout, stderr: written.stderr });
    });
  });
  // A failed start is reported by the functions that wait for a line.
  ended.catch(() => undefined);

  return {
    processId: child.pid ?? 0,
    line: (pattern) => waitForLine(child, written, ended, pattern),
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

interface Written {
  stdout: string;
  stderr: string;
}

function collect(child: ChildProcess): Written {
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      written[name] += text;
    });
  }
  return written;
}

async function waitForLine(
  child: ChildProcess,
  written: Written,
  ended: Promise<EndedProcess>,
  pattern: RegExp,
): Promise<string> {
  const find = () =>
    written.stdout
      .split("\n")
      .slice(0, -1)
      .find((line) => pattern.test(line));
  const found = Promise.withResolvers<string>();
  const look = () => {
    const line = find();
    if (line !== undefined) found.resolve(line);
  };
  child.stdout?.on("data", look);
  look();
  const failed = ended.then(({ exitCode, signal, stderr }) => {
    const line = find();
    if (line !== undefined) return line;
    throw new Error(`the process ended (${exitCode ?? signal}) without ${pattern}: ${stderr}`);
  });
  try {
    return await Promise.race([found.promise, failed]);
  } finally {
    child.stdout?.off("data", look);
  }
}
