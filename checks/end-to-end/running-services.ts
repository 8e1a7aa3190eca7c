/** The services as they run in earnest: several processes of each, on one database. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type StartedProcess, startNode } from "@stowage/process/testing";
import { type RoundRobin, startRoundRobin } from "./round-robin.ts";
import { noSettings, preparePlace, root, stowage } from "./started.ts";

export interface RunningServices {
  /** Where the authorisation service is reached, whichever of its processes then answers. */
  readonly authUrl: string;
  /** One for each uploads server. */
  readonly uploadsUrls: readonly string[];
  /** Runs `stowage` to its end, and gives what it prints. Fails when anything is wrong. */
  run(...parameters: string[]): Promise<string>;
  /** Ends all of it. */
  stop(): Promise<void>;
}

/** The organisation whose primary bucket the uploads servers have; there is one upload in it. */
export const organisationId = "acme";

/** Starts two processes of the authorisation service, and as many uploads servers as are named. */
export async function startServices(options: {
  uploadsServers: number;
  settings?: Record<string, string>;
}): Promise<RunningServices> {
  const place = await preparePlace();
  const balancer = await startRoundRobin(["127.0.0.2", "127.0.0.3"]);
  const authUrl = `http://127.0.0.1:${balancer.port}`;
  const environment = {
    ...place.environment,
    AUTH_URL: authUrl,
    KEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ...options.settings,
  };
  const processes: StartedProcess[] = [];
  const stop = async () => {
    for (const process of processes) process.kill("SIGTERM");
    await Promise.all(processes.map(({ ended }) => ended));
    await balancer.close();
    await place.remove();
  };
  const run = async (...parameters: string[]) => {
    const { exitCode, stdout, stderr } = await stowage(parameters, environment);
    assert.deepEqual([exitCode, stderr], [0, ""]);
    return stdout;
  };
  try {
    const starting = startAuthorisation(balancer, environment, processes);
    await Promise.all([starting, importBucket(join(place.folder, "uploads.ndjson"), run)]);
    const uploadsUrls = await startUploads(options.uploadsServers, environment, processes);
    return { authUrl, uploadsUrls, run, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Environment = Record<string, string>;

async function startAuthorisation(
  { hosts, port }: RoundRobin,
  environment: Environment,
  processes: StartedProcess[],
): Promise<void> {
  const starting = hosts.map((HOST) => {
    const process = startService("authorisation", { ...environment, HOST, PORT: `${port}` });
    processes.push(process);
    return readyLine("authorisation", process);
  });
  await Promise.all(starting);
}

async function startUploads(
  count: number,
  environment: Environment,
  processes: StartedProcess[],
): Promise<string[]> {
  const starting = Array.from({ length: count }, async () => {
    const process = startService("uploads", { ...environment, PORT: "0" });
    processes.push(process);
    return (await readyLine("uploads", process)).split(" ").at(-1) ?? "";
  });
  return await Promise.all(starting);
}

function startService(name: string, environment: Environment): StartedProcess {
  const env = { ...noSettings, LOG_LEVEL: "warn", ...environment };
  return startNode([`services/${name}/main.ts`], { cwd: root, env });
}

function readyLine(name: string, process: StartedProcess): Promise<string> {
  return process.line(new RegExp(`^${name}: listening on `));
}

async function importBucket(file: string, run: RunningServices["run"]): Promise<void> {
  const bucketId = "6f3c7a52-0c43-4f37-8d0e-8a7a3d2f4b11";
  const lines = [
    { bucket: { bucketId, hostname: "a.example", organisationId, primary: true } },
    { upload: { path: "/", filename: "one.txt", sizeBytes: 1 } },
  ];
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await run("import", "ndjson", file);
}
