/**
 * Runs the programs of this repository: as child processes, which also end if this process is
 * killed, or in this process.
 */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import { whenNpmEnds } from "@stowage/process/usage";

const services = new URL("../../../services/", import.meta.url);

const entryPoints = {
  uploads: pathOf("uploads/main.ts"),
  import: pathOf("uploads/commands/import.ts"),
  sources: pathOf("uploads/commands/sources.ts"),
  sync: pathOf("uploads/commands/sync.ts"),
  buckets: pathOf("uploads/commands/buckets.ts"),
  export: pathOf("uploads/commands/export.ts"),
  check: pathOf("uploads/commands/check.ts"),
  authorisation: pathOf("authorisation/main.ts"),
  web: pathOf("web/main.ts"),
  clients: pathOf("authorisation/commands/clients.ts"),
  accounts: pathOf("authorisation/commands/accounts.ts"),
  organisations: pathOf("authorisation/commands/organisations.ts"),
  groups: pathOf("authorisation/commands/groups.ts"),
  audit: pathOf("authorisation/commands/audit.ts"),
  tokens: pathOf("authorisation/commands/tokens.ts"),
  keys: pathOf("authorisation/commands/keys.ts"),
  sessions: pathOf("authorisation/commands/sessions.ts"),
  consents: pathOf("authorisation/commands/consents.ts"),
  grants: pathOf("authorisation/commands/grants.ts"),
} as const;

export type ProgramName = keyof typeof entryPoints;

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, services));
}

export interface StartOptions {
  /** Added to this process's own environment; undefined removes a name. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** For stdin, stdout and stderr; default: all three are inherited. */
  readonly stdio?: readonly ["ignore" | "pipe" | "inherit", "pipe" | "inherit", "pipe" | "inherit"];
}

export interface Program {
  readonly child: ChildProcess;
  /** Exit code, or 128 and the signal's number. Rejects when the program cannot be started. */
  readonly ended: Promise<number>;
}

/** Starts a program under the Node that runs this one. */
export function startProgram(
  name: ProgramName,
  parameters: readonly string[],
  options: StartOptions = {},
): Program {
  const stdio: StdioOptions = [...(options.stdio ?? inheritAll), "ipc"];
  const child = spawn(
    process.execPath,
    ["--import", endWithParent, entryPoints[name], ...parameters],
    // A process group of its own: this process forwards the terminal's signals, once.
    { detached: true, stdio, env: { ...process.env, ...options.environment } },
  );
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`Cannot start ${name}`, { cause })));
    child.once("close", (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
  // Avoids an unhandled rejection while nothing awaits the end.
  ended.catch(() => undefined);
  return { child, ended };
}

const inheritAll = ["inherit", "inherit", "inherit"] as const;
const endWithParent = new URL("end-with-parent.ts", import.meta.url).href;

/**
 * Runs a program in this process, which ends with the exit code of the program. A process of its
 * own would start up to 0.2 s later.
 */
export async function runInThisProcess(
  name: ProgramName,
  parameters: readonly string[],
  { environment = {} }: Pick<StartOptions, "environment"> = {},
): Promise<void> {
  const entryPoint = entryPoints[name];
  process.argv = [process.execPath, entryPoint, ...parameters];
  for (const [setting, value] of Object.entries(environment)) {
    if (value === undefined) delete process.env[setting];
    else process.env[setting] = value;
  }
  // The program says itself what a closed stdout means.
  process.stdout.removeAllListeners("error");
  await import(pathToFileURL(entryPoint).href);
}

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * npm forwards the Ctrl-C that the terminal has already sent: the same signal within this time is
 * the same key press.
 */
const sameSignalMs = 500;

/**
 * Calls `onStop` for every signal that asks the process to end, and when the npm that started it
 * ends.
 */
export function listenForStop(onStop: (signal: NodeJS.Signals) => void): void {
  let isStopping = false;
  // Ctrl-C may end npm first, and must count once.
  whenNpmEnds(() => isStopping || onStop("SIGTERM"));
  for (const signal of stopSignals) {
    let calledAtMs = Number.NEGATIVE_INFINITY;
    process.on(signal, () => {
      if (performance.now() - calledAtMs < sameSignalMs) return;
      calledAtMs = performance.now();
      isStopping = true;
      onStop(signal);
    });
  }
}
