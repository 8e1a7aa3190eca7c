import { startNode } from "@stowage/process/testing";
import { noSettings } from "../testing/programs.ts";

interface RunOptions {
  readonly checkout: string;
  readonly databaseUrl: string;
  readonly environment?: NodeJS.ProcessEnv | undefined;
  readonly signal: AbortSignal;
}

/** Runs a `stowage` command of a checkout; returns the seconds that it took. */
export async function runStowage(
  command: readonly string[],
  { checkout, databaseUrl, environment, signal }: RunOptions,
): Promise<number> {
  const settings = { ...noSettings, DATABASE_URL: databaseUrl, LOG_LEVEL: "warn" };
  const startMs = performance.now();
  const program = startNode(["clients/cli/main.ts", ...command], {
    cwd: checkout,
    env: { ...settings, ...environment },
  });
  const end = () => program.kill("SIGTERM");
  signal.addEventListener("abort", end, { once: true });
  const { exitCode, stderr } = await program.ended;
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  if (exitCode !== 0) throw new Error(`Cannot run ${command[0]}: ${stderr}`);
  return (performance.now() - startMs) / 1000;
}
