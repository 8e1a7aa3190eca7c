/** Temporary data folders, and a program that has a database open until it is told to end. */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createLogger } from "../logger.ts";
import { type StartedProcess, type StartOptions, startNode } from "./start-process.ts";

export const silent = createLogger({ name: "test", level: "silent" });

/**
 * A folder that the server's user can enter. Processes that still run in it are killed after the
 * test.
 */
export async function temporaryFolder(test: TestContext, mode = 0o711): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "stowage-data-"));
  await chmod(folder, mode);
  test.after(async () => {
    const server = await serverProcess(folder);
    if (server !== undefined) process.kill(server, "SIGQUIT");
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  return folder;
}

/** Process id of the server of a data folder; undefined when none runs. */
export async function serverProcess(dataDir: string): Promise<number | undefined> {
  const file = join(dataDir, "postgres", "cluster", "postmaster.pid");
  const text = await readFile(file, "utf8").catch(() => "");
  const processId = Number.parseInt(text, 10);
  const isAlive = await readFile(`/proc/${processId}/stat`).catch(() => undefined);
  return isAlive === undefined ? undefined : processId;
}

const program = `
  import { createLogger, openDatabase, runProgram } from "@stowage/process";
  await runProgram("sample", async ({ signal }) => {
    const logger = createLogger({ name: "sample" });
    const isDefault = process.env.IS_DEFAULT === "yes";
    const dataDir = { path: process.env.SAMPLE_DIR, isDefault };
    const database = await openDatabase({ dataDir, logger });
    console.log("open " + database.databaseUrl);
    const waiting = setInterval(() => undefined, 1000);
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
      if (signal.aborted) resolve();
    });
    clearInterval(waiting);
    await database.close();
    console.log("closed");
  });`;

/** Of Node.js, which runs the program with them. Its data folder is in SAMPLE_DIR. */
export const sampleArguments = ["--input-type=module-typescript", "--eval", program];

/** Starts the program; it writes a line `open <address>`, and `closed` after SIGTERM. */
export function startSample(dataDir: string, options: StartOptions = {}): StartedProcess {
  return startNode(sampleArguments, {
    cwd: import.meta.dirname,
    ...options,
    env: { SAMPLE_DIR: dataDir, ...options.env },
  });
}

export async function addressOf(sample: StartedProcess): Promise<string> {
  return (await sample.line(/^open /)).slice("open ".length);
}
