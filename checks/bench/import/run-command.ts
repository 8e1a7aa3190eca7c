import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { noSettings } from "../../testing/programs.ts";

/** Runs in which nothing changed. The medians of so many differ little. */
export const unchangedRuns = 3;

interface CommandOptions {
  readonly databaseUrl: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Runs a `stowage` command of this checkout, as npx does; returns the seconds that it took. */
export async function runCommand(
  parameters: readonly string[],
  { databaseUrl, environment, onLine = () => undefined, signal }: CommandOptions,
): Promise<number> {
  const settings = { ...noSettings, DATABASE_URL: databaseUrl, LOG_LEVEL: "warn" };
  const startMs = performance.now();
  const command = spawn("clients/cli/stowage.sh", parameters, {
    cwd: new URL("../../..", import.meta.url),
    env: { ...process.env, ...settings, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
    signal,
  });
  createInterface(command.stdout).on("line", onLine);
  const [exitCode] = await once(command, "close");
  if (exitCode !== 0) throw new Error(`Cannot measure: ${parameters[0]} ended with ${exitCode}`);
  return (performance.now() - startMs) / 1000;
}
