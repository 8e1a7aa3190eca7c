/**
 * For tests: a real S3 server, Ceph's object gateway from Debian's packages, with one monitor and
 * one storage daemon that keeps everything in memory. It starts in about 12 s. `npm test` starts
 * one for all test files, in which each test has a tenant of its own.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { accessSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type StartedProcess, startProcess } from "./start-process.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

export interface CephServer {
  /** `http://127.0.0.1:PORT`. Buckets are in the path. */
  readonly endpoint: string;
  /** What the AWS client needs to reach it. */
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly forcePathStyle: true;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** The environment in which the default chain of credentials finds those of the client. */
  readonly environment: Readonly<Record<string, string>>;
  /** The environment in which `startCeph` of another process uses this server. */
  readonly sharing: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const programs = ["ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "monmaptool", "ceph"];

/** Why tests with a real S3 server cannot run, as the tests' `skip`; false if they can. */
export const cephIsMissing: string | false = programs.every(isInstalled)
  ? false
  : "needs an S3 server: install Debian's radosgw, ceph-mon, ceph-osd and ceph-common as root";

function isInstalled(program: string): boolean {
  try {
    accessSync(join("/usr/bin", program));
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

/** Starts a server, or makes a tenant, without buckets, in the one that `npm test` started. */
export async function startCeph(): Promise<CephServer> {
  const { TEST_CEPH_ENDPOINT, TEST_CEPH_FOLDER } = process.env;
  if (TEST_CEPH_ENDPOINT && TEST_CEPH_FOLDER) {
    return await addTenant(TEST_CEPH_ENDPOINT, TEST_CEPH_FOLDER, async () => undefined);
  }
  const folder = await makeTemporaryFolder();
  const daemons: StartedProcess[] = [];
  const stop = () => stopAll(daemons).then(() => folder.remove());
  try {
    const [v2Port, v1Port, port] = await freePorts(3);
    const cluster = { folder: folder.path, id: randomUUID(), v2Port, v1Port, port };
    await startCluster(cluster as Cluster, daemons);
    return await addTenant(`http://127.0.0.1:${port}`, folder.path, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Adds a user in a tenant of its own: names of buckets are unique in a tenant only. */
async function addTenant(
  endpoint: string,
  folder: string,
  stop: () => Promise<void>,
): Promise<CephServer> {
  const accessKeyId = randomBytes(10).toString("hex");
  const secretAccessKey = randomBytes(20).toString("hex");
  await runToEnd("radosgw-admin", [
    "-c",
    join(folder, configurationFile),
    "user",
    "create",
    `--tenant=${accessKeyId}`,
    "--uid=test",
    "--display-name=test",
    `--access-key=${accessKeyId}`,
    `--secret-key=${secretAccessKey}`,
  ]);
  const credentials = { accessKeyId, secretAccessKey };
  return {
    endpoint,
    client: { endpoint, region: "us-east-1", forcePathStyle: true, credentials },
    environment: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    sharing: { TEST_CEPH_ENDPOINT: endpoint, TEST_CEPH_FOLDER: folder },
    stop,
  };
}

const configurationFile = "ceph.conf";

interface Cluster {
  readonly folder: string;
  readonly id: string;
  readonly v2Port: number;
  readonly v1Port: number;
  readonly port: number;
}

async function startCluster(cluster: Cluster, daemons: StartedProcess[]): Promise<void> {
  const { folder, id } = cluster;
  const configuration = join(folder, configurationFile);
  for (const name of ["mon", "osd", "run", "log"]) await mkdir(join(folder, name));
  await writeFile(configuration, configurationOf(cluster));
  const run = (program: string, ...parameters: string[]) =>
    runToEnd(program, ["-c", configuration, ...parameters]);
  // A daemon ends with this process, however that ends.
  const start = (program: string, ...parameters: string[]) =>
    daemons.push(
      startProcess("/usr/bin/setpriv", [
        "--pdeathsig",
        "KILL",
        join("/usr/bin", program),
        "-c",
        configuration,
        "-f",
        ...parameters,
      ]),
    );

  const map = join(folder, "monmap");
  const addresses = `[v2:127.0.0.1:${cluster.v2Port},v1:127.0.0.1:${cluster.v1Port}]`;
  await runToEnd("monmaptool", ["--create", "--addv", "a", addresses, "--fsid", id, map]);
  await run("ceph-mon", "-i", "a", "--mkfs", "--monmap", map);
  start("ceph-mon", "-i", "a");
  const disk = randomUUID();
  const number = (await run("ceph", "--connect-timeout", "30", "osd", "new", disk)).trim();
  await run("ceph-osd", "-i", number, "--mkfs", "--osd-uuid", disk);
  await run(
    "ceph",
    "osd",
    "crush",
    "add",
    `osd.${number}`,
    "1.0",
    "root=default",
    "host=localhost",
  );
  start("ceph-osd", "-i", number);
  start("radosgw", "-n", "client.rgw");
  await untilListening(cluster.port, join(folder, "log"));
}

function configurationOf({ folder, id, v2Port, v1Port, port }: Cluster): string {
  return `
[global]
fsid = ${id}
mon host = [v2:127.0.0.1:${v2Port},v1:127.0.0.1:${v1Port}]
auth cluster required = none
auth service required = none
auth client required = none
public addr = 127.0.0.1
cluster addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon warn on pool no redundancy = false
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 4294967296
mon data = ${folder}/mon
osd data = ${folder}/osd
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
log file = ${folder}/log/$name.log
mon cluster log file = ${folder}/log/cluster.log
crash dir = ${folder}
ms bind ipv6 = false
ms mon client mode = crc
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw data = ${folder}/rgw
rgw dns name = localhost
rgw enable ops log = false
rgw rados pool pg num min = 1
`;
}

async function runToEnd(program: string, parameters: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await startProcess(join("/usr/bin", program), parameters)
    .ended;
  if (exitCode === 0) return stdout;
  throw new Error(`${program} ${parameters.join(" ")} ended with ${exitCode}: ${stderr}`);
}

const startTimeoutMs = 90_000;

async function untilListening(port: number, logs: string): Promise<void> {
  const endMs = performance.now() + startTimeoutMs;
  while (performance.now() < endMs) {
    const answer = await fetch(`http://127.0.0.1:${port}`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await setTimeout(100);
  }
  const log = await readFile(join(logs, "client.rgw.log"), "utf8").catch(() => "");
  throw new Error(
    `Cannot start Ceph's object gateway in ${startTimeoutMs} ms: ${log.slice(-2000)}`,
  );
}

async function stopAll(daemons: readonly StartedProcess[]): Promise<void> {
  for (const daemon of daemons) daemon.kill("SIGKILL");
  await Promise.all(daemons.map(({ ended }) => ended));
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  return servers.map((server) => {
    const address = server.address();
    server.close();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
}
