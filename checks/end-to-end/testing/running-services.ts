/** The services as in production: several processes of each, on one database. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Environment,
  type Service,
  type ServiceName,
  startService,
} from "../../testing/programs.ts";
import { preparePlace, stowage } from "./npm-start.ts";
import { startRoundRobin } from "./round-robin.ts";

export interface RunningServices {
  /** The address of the authorisation service, in front of all its processes. */
  readonly authUrl: string;
  /** One for each uploads server. */
  readonly uploadsUrls: readonly string[];
  /** Starts a further service, and returns its address. */
  start(name: ServiceName, settings: Environment): Promise<string>;
  /** Runs `stowage` and returns its output. Fails unless it ends well, without a word on stderr. */
  run(...parameters: string[]): Promise<string>;
  /** Stops all processes. */
  stop(): Promise<void>;
}

/** The organisation of the only bucket, which has one upload. */
export const organisationId = "acme";

/** Starts two processes of the authorisation service, and the given number of uploads servers. */
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
  const running: Service[] = [];
  const stop = async () => {
    await Promise.all(running.map((service) => service.stop()));
    await balancer.close();
    await place.remove();
  };
  const start = async (name: ServiceName, settings: Environment) => {
    const service = await startService(name, { LOG_LEVEL: "warn", ...environment, ...settings });
    running.push(service);
    return service.url;
  };
  const run = async (...parameters: string[]) => {
    const { exitCode, stdout, stderr } = await stowage(parameters, environment);
    assert.deepEqual([exitCode, stderr], [0, ""]);
    return stdout;
  };
  try {
    const { hosts, port } = balancer;
    await Promise.all([
      ...hosts.map((HOST) => start("authorisation", { HOST, PORT: `${port}` })),
      importBucket(join(place.folder, "uploads.ndjson"), run),
    ]);
    const starting = Array.from({ length: options.uploadsServers }, () =>
      start("uploads", { PORT: "0" }),
    );
    return { authUrl, uploadsUrls: await Promise.all(starting), start, run, stop };
  } catch (error) {
    await stop();
    throw error;
  }
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
