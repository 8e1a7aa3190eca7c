import { spawn } from "node:child_process";
import { once } from "node:events";
import { noSettings } from "../../testing/programs.ts";

/** Runs the import command of this checkout; returns the seconds that it took. */
export async function runImporter(
  databaseUrl: string,
  parameters: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const startMs = performance.now();
  const importer = spawn(process.execPath, ["clients/cli/main.ts", "import", ...parameters], {
    cwd: new URL("../../..", import.meta.url),
    env: { ...process.env, ...noSettings, DATABASE_URL: databaseUrl, LOG_LEVEL: "warn" },
    stdio: ["ignore", "ignore", "inherit"],
    signal,
  });
  const [exitCode] = await once(importer, "close");
  if (exitCode !== 0) throw new Error(`Cannot measure: the import ended with ${exitCode}`);
  return (performance.now() - startMs) / 1000;
}
