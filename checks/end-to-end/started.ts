/** `npm start` as people run it, but for the ports, and the commands that they then use. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  createTestDatabase,
  type EndedProcess,
  type StartedProcess,
  startNode,
} from "@stowage/process/testing";

export const root = dirname(dirname(import.meta.dirname));

/** Names that commands read; a test gives those it means. */
export const noSettings = Object.fromEntries(
  ["AUTH_PORT", "AUTH_URL", "BASE_URL", "DATABASE_URL", "DATA_DIR", "HOST", "LOG_LEVEL", "PORT"]
    .concat(["KEY_ENCRYPTION_KEY", "KEY_ENCRYPTION_KEY_FILE", "KEY_PUBLICATION_S"])
    .concat(["AUDIENCE", "INIT_CWD", "STOWAGE_CLIENT_ID", "STOWAGE_CLIENT_SECRET", "STOWAGE_TOKEN"])
    .map((name) => [name, undefined]),
);

type Environment = Readonly<Record<string, string>>;

/** Starts both services on free ports with what is in a directory. */
export function startAll(directory: string, environment: Environment): StartedProcess {
  return startNode(["clients/cli/start.ts", directory], {
    cwd: root,
    env: { ...noSettings, PORT: "0", AUTH_PORT: "0", ...environment },
  });
}

/** All that a start says until it is ready. Rejects when it ends before. */
export async function untilReady(started: StartedProcess): Promise<string> {
  await started.line(/^ +To stop/);
  return started.stdout();
}

/** Runs `stowage` to its end. */
export function stowage(
  parameters: readonly string[],
  environment: Environment,
): Promise<EndedProcess> {
  const command = ["clients/cli/stowage.js", ...parameters];
  return startNode(command, { cwd: root, env: { ...noSettings, ...environment } }).ended;
}

/** A folder that the database's user can enter, even when root runs the tests. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "stowage-start-"));
  await chmod(folder, 0o755);
  return folder;
}

/** Where services are started on a database of their own. */
export interface Place {
  readonly folder: string;
  /** In the folder, and empty: for what is to be imported. */
  readonly directory: string;
  /** What tells programs of it. */
  readonly environment: Record<"DATABASE_URL" | "DATA_DIR", string>;
  remove(): Promise<void>;
}

export async function preparePlace(): Promise<Place> {
  const folder = await temporaryFolder();
  const directory = join(folder, "files");
  await mkdir(directory);
  const { databaseUrl, drop } = await createTestDatabase();
  return {
    folder,
    directory,
    environment: { DATABASE_URL: databaseUrl, DATA_DIR: join(folder, "data") },
    async remove() {
      await drop();
      await removeFolder(folder);
    },
  };
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true });
}

export interface FoundProcess {
  readonly id: string;
  readonly commandLine: string;
}

/** All other processes that have a text in their command line or environment. */
export async function processesWith(text: string): Promise<FoundProcess[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      // A process may end meanwhile, or belong to somebody else.
      const read = (file: string) => readFile(`/proc/${id}/${file}`, "utf8").catch(() => "");
      const [commandLine, variables] = await Promise.all([read("cmdline"), read("environ")]);
      const isOne = `${commandLine}${variables}`.includes(text) && Number(id) !== process.pid;
      return isOne ? [{ id, commandLine }] : [];
    }),
  );
  return found.flat();
}
