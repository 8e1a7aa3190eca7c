/** `npm start` as people run it, with free ports, and the commands that they then use. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  createTestDatabase,
  type EndedProcess,
  makeTemporaryFolder,
  type StartedProcess,
  startNode,
} from "@stowage/process/testing";
import { type Environment, noSettings, root } from "../../testing/programs.ts";

/** Starts all services on free ports, with an index of a directory. */
export function startAll(directory: string, environment: Environment): StartedProcess {
  return startNode(["clients/cli/start.ts", directory], {
    cwd: root,
    env: { ...noSettings, PORT: "0", AUTH_PORT: "0", WEB_PORT: "0", ...environment },
  });
}

/** The output of a start until it is ready. Rejects when the process ends before. */
export async function untilReady(started: StartedProcess): Promise<string> {
  await started.line(/^ +To stop/);
  return started.stdout();
}

/** Runs `stowage` to its end. */
export function stowage(
  parameters: readonly string[],
  environment: Environment,
): Promise<EndedProcess> {
  const command = ["clients/cli/main.ts", ...parameters];
  return startNode(command, { cwd: root, env: { ...noSettings, ...environment } }).ended;
}

/** A database and folders of their own, in which a test starts services. */
export interface Place {
  readonly folder: string;
  /** An empty directory in the folder, to import from. */
  readonly directory: string;
  /** The settings that name the database and the folder. */
  readonly environment: Record<"DATABASE_URL" | "DATA_DIR", string>;
  remove(): Promise<void>;
}

export async function preparePlace(): Promise<Place> {
  const { path: folder, remove } = await makeTemporaryFolder();
  const directory = join(folder, "files");
  await mkdir(directory);
  const { databaseUrl, drop } = await createTestDatabase();
  return {
    folder,
    directory,
    environment: { DATABASE_URL: databaseUrl, DATA_DIR: join(folder, "data") },
    async remove() {
      await drop();
      await remove();
    },
  };
}
