/** The project's programs as child processes of a test. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type EndedProcess, type StartedProcess, startNode } from "@stowage/process/testing";

/** The root of the checkout. */
export const root = dirname(dirname(import.meta.dirname));

/**
 * Changes to the environment that child processes inherit: no settings of our programs, and no
 * logins of the user who runs the tests. Services stop without a drain time, because no load
 * balancer has to notice it.
 */
export const noSettings = Object.fromEntries(
  ["AUTH_PORT", "AUTH_URL", "BASE_URL", "DATABASE_URL", "DATA_DIR", "HOST", "LOG_LEVEL", "PORT"]
    .concat(["KEY_ENCRYPTION_KEY", "KEY_ENCRYPTION_KEY_FILE", "KEY_PUBLICATION_S"])
    .concat(["AUDIENCE", "INIT_CWD", "STOWAGE_CLIENT_ID", "STOWAGE_CLIENT_SECRET", "STOWAGE_TOKEN"])
    .map((name): [string, string | undefined] => [name, undefined])
    .concat([
      ["DRAIN_MS", "0"],
      ["XDG_STATE_HOME", "/nonexistent"],
    ]),
);

export type Environment = Readonly<Record<string, string>>;

const startTimeMaxMs = 60_000;
const stopTimeMaxMs = 15_000;

/**
 * Starts one of our programs, such as `services/uploads/main.ts`. Only the given settings are set,
 * and the drain time is 0.
 */
export function start(
  command: readonly string[],
  environment: Environment,
  input?: string,
): StartedProcess {
  const { PATH, HOME } = process.env;
  return startNode(command, {
    cwd: root,
    bareEnv: true,
    env: { PATH, HOME, DRAIN_MS: "0", ...environment },
    input,
  });
}

/** Runs `stowage` and returns its output. Fails unless it ends well. */
export type RunStowage = (
  command: readonly string[],
  input?: string,
  environment?: Environment,
) => Promise<string>;

/** Runs commands on a database. */
export function stowageOn(databaseUrl: string): RunStowage {
  return async (command, input, own = {}) => {
    const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: "warn", ...own };
    const program = start(["clients/cli/main.ts", ...command], environment, input);
    const { exitCode, stdout, stderr } = await program.ended;
    assert.equal(exitCode, 0, `stowage ${command.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  };
}

export interface Service {
  readonly url: string;
  /** The primary, which gets signals. */
  readonly processId: number;
  /** The processes that answer. */
  workerIds(): Promise<number[]>;
  /** Its output on stderr so far. */
  log(): string;
  /** Sends SIGTERM. Rejects unless the service ends with exit code 0 within 15 s. */
  stop(): Promise<void>;
}

const servicePrograms = {
  authorisation: "services/authorisation/main.ts",
  uploads: "services/uploads/main.ts",
  sync: "services/uploads/commands/sync.ts",
  web: "services/web/main.ts",
} as const;

export type ServiceName = keyof typeof servicePrograms;

/** Starts a service. Resolves when it listens; rejects when it does not within 60 s. */
export async function startService(name: ServiceName, environment: Environment): Promise<Service> {
  const program = start([servicePrograms[name]], environment);
  const ready = program.line(new RegExp(`^${name}: listening on `));
  const line = await withKillTimeout(program, startTimeMaxMs, ready);
  return {
    url: line.slice(line.lastIndexOf(" ") + 1),
    processId: program.processId,
    workerIds: () => childrenOf(program.processId),
    log: program.stderr,
    async stop() {
      program.kill("SIGTERM");
      const ended = await withKillTimeout(program, stopTimeMaxMs, program.ended);
      if (ended.exitCode !== 0) throw new Error(`Cannot stop ${name}: got ${describeEnd(ended)}`);
    },
  };
}

async function withKillTimeout<T>(
  program: StartedProcess,
  timeMaxMs: number,
  done: Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => program.kill("SIGKILL"), timeMaxMs);
  try {
    return await done;
  } finally {
    clearTimeout(timer);
  }
}

function describeEnd({ exitCode, signal, stdout, stderr }: EndedProcess): string {
  return `${signal ?? `exit code ${exitCode}`} after\n${stdout}${stderr}`;
}

async function childrenOf(processId: number): Promise<number[]> {
  const ids = await readFile(`/proc/${processId}/task/${processId}/children`, "utf8");
  return ids.split(" ").filter(Boolean).map(Number);
}

interface FoundProcess {
  readonly id: string;
  readonly commandLine: string;
}

/** All other processes that have a text in their command line or environment. */
export async function processesWith(text: string): Promise<FoundProcess[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      // A process may end meanwhile, or belong to another user.
      const read = (file: string) => readFile(`/proc/${id}/${file}`, "utf8").catch(() => "");
      const [commandLine, variables] = await Promise.all([read("cmdline"), read("environ")]);
      const isOne = `${commandLine}${variables}`.includes(text) && Number(id) !== process.pid;
      return isOne ? [{ id, commandLine }] : [];
    }),
  );
  return found.flat();
}
