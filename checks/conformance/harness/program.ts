/** The project's programs as child processes, none of which outlives its test. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const startTimeMaxMs = 30_000;
const stopTimeMaxMs = 15_000;

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) {
    process.stderr.write(`Leaked process ${child.pid}: ${child.spawnargs.join(" ")}\n`);
    child.kill("SIGKILL");
    process.exitCode = 1;
  }
});

export interface ProgramOptions {
  environment?: Record<string, string>;
  input?: string;
}

export interface ProgramResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command at the root of the checkout to its end. */
export async function runProgram(
  command: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramResult> {
  const program = start(command, options.environment);
  // One that refuses its input may end before it has read all of it.
  program.child.stdin.on("error", () => {});
  program.child.stdin.end(options.input ?? "");
  await program.ended;
  const { stdout, stderr } = program;
  return { exitCode: program.child.exitCode, stdout, stderr };
}

export interface Service {
  readonly url: string;
  readonly processId: number | undefined;
  /** What it wrote to stderr so far. */
  log(): string;
  /** Ends it as an operator would, and fails unless it ends well. */
  stop(): Promise<void>;
}

/** Starts a service and waits for its ready line. */
export async function startService(
  name: string,
  command: readonly string[],
  environment: Record<string, string>,
): Promise<Service> {
  const program = start(command, environment);
  return {
    url: await readyAddress(name, program),
    processId: program.child.pid,
    log: () => program.stderr,
    stop: () => stop(name, program),
  };
}

async function readyAddress(name: string, program: RunningProgram): Promise<string> {
  const readyLine = new RegExp(`^${name}: listening on (http://\\S+)$`, "m");
  const ready = new Promise<string>((resolve) => {
    program.child.stdout.on("data", () => {
      const address = readyLine.exec(program.stdout)?.[1];
      if (address) resolve(address);
    });
  });
  const timer = setTimeout(() => program.child.kill("SIGKILL"), startTimeMaxMs);
  const address = await Promise.race([ready, program.ended]);
  clearTimeout(timer);
  if (address) return address;
  throw new Error(`Cannot start ${name}: ${endOf(program)}, need its ready line`);
}

async function stop(name: string, program: RunningProgram): Promise<void> {
  program.child.kill("SIGTERM");
  const timer = setTimeout(() => program.child.kill("SIGKILL"), stopTimeMaxMs);
  await program.ended;
  clearTimeout(timer);
  if (program.child.exitCode === 0) return;
  throw new Error(`Cannot stop ${name}: ${endOf(program)}, need exit code 0`);
}

function endOf({ child, stdout, stderr }: RunningProgram): string {
  return `got ${child.signalCode ?? `exit code ${child.exitCode}`} after\n${stdout}${stderr}`;
}

type RunningProgram = ReturnType<typeof start>;

function start([file = "", ...parameters]: readonly string[], environment = {}) {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(file, parameters, { cwd: root, env: { PATH, HOME, ...environment } });
  running.add(child);
  const ended = once(child, "close").then(() => void running.delete(child));
  const program = { child, ended, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    program.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    program.stderr += text;
  });
  return program;
}
