/** Runs of a source, first and unchanged, in turn with bare listings of the same bucket. */
import { join } from "node:path";
import { type CephServer, startCeph, startNode } from "@stowage/process/testing";
import { fillBucket } from "../../testing/fill-bucket.ts";
import { spreadOf } from "../measuring/statistics.ts";
import { besideCopy } from "./beside-copy.ts";
import { runCommand, unchangedRuns } from "./run-command.ts";

/** The seconds of a run. */
interface Run {
  readonly whole: number;
  /** Its first phase, in which it lists the bucket and stores what it finds. */
  readonly listing: number;
}

interface MeasuredBucket {
  readonly copySeconds: number;
  readonly bareListingSeconds: number;
  readonly first: Run;
  readonly unchanged: Run;
}

/** @param keys in ASCII. */
export async function measureBucket(
  folder: string,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<MeasuredBucket> {
  const server = await startCeph();
  try {
    const objects = new Map(keys.map((key) => [key, "x"]));
    await fillBucket(server, bucket, objects, signal);
    const { measured, copySeconds } = await besideCopy(folder, (databaseUrl) =>
      measureRuns({ server, databaseUrl, keys: keys.toSorted(), signal }),
    );
    return { copySeconds, ...measured };
  } finally {
    await server.stop();
  }
}

async function measureRuns(context: Context): Promise<Omit<MeasuredBucket, "copySeconds">> {
  await addSource(context);
  const bareListings: number[] = [];
  const runs: Run[] = [];
  while (runs.length <= unchangedRuns) {
    bareListings.push(await listBarely(context));
    runs.push(await runSource(context));
  }
  const [first, ...unchanged] = runs as [Run, ...Run[]];
  return {
    bareListingSeconds: spreadOf(bareListings).median,
    first,
    unchanged: {
      whole: spreadOf(unchanged.map(({ whole }) => whole)).median,
      listing: spreadOf(unchanged.map(({ listing }) => listing)).median,
    },
  };
}

interface Context {
  readonly server: CephServer;
  readonly databaseUrl: string;
  /** Sorted. */
  readonly keys: readonly string[];
  readonly signal: AbortSignal;
}

const bucket = "files";
const source = "files";

async function addSource({ server, databaseUrl, signal }: Context): Promise<void> {
  const place = ["--bucket", "files.example.com", "--organisation", "acme", "--name", source];
  const store = ["--endpoint", server.endpoint, "--path-style"];
  await runCommand(["sources", "add", "s3", `s3://${bucket}`, ...place, ...store], {
    databaseUrl,
    signal,
  });
}

/** As many as a run of a source lists at once. */
const rangesAtOnce = 8;

async function listBarely({ server, keys, signal }: Context): Promise<number> {
  const step = Math.ceil(keys.length / rangesAtOnce);
  const boundaries = keys.filter((_, index) => index > 0 && index % step === 0);
  const program = join(import.meta.dirname, "bare-listing.ts");
  const listing = startNode([program, server.endpoint, bucket, ...boundaries], {
    env: server.environment,
  });
  const end = () => listing.kill("SIGTERM");
  signal.addEventListener("abort", end, { once: true });
  const { exitCode, stdout, stderr } = await listing.ended;
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  if (exitCode !== 0) throw new Error(`Cannot measure: the bare listing failed: ${stderr}`);
  const { objects, seconds } = JSON.parse(stdout);
  requireAll(objects, keys);
  return seconds;
}

async function runSource(context: Context): Promise<Run> {
  const { server, databaseUrl, keys, signal } = context;
  const beganMs = new Map<string, number>();
  let objects = 0;
  const whole = await runCommand(["sources", "sync", source, "--json"], {
    databaseUrl,
    environment: server.environment,
    onLine(line) {
      const { event, phase, counts } = JSON.parse(line);
      if (event === "end") objects = counts.objects;
      else if (!beganMs.has(phase)) beganMs.set(phase, performance.now());
    },
    signal,
  });
  requireAll(objects, keys);
  const [listMs = Number.NaN, compareMs = Number.NaN] = [
    beganMs.get("list"),
    beganMs.get("compare"),
  ];
  return { whole, listing: (compareMs - listMs) / 1000 };
}

function requireAll(listed: number, { length }: readonly string[]): void {
  if (listed !== length) throw new Error(`Cannot measure: listed ${listed} of ${length} objects`);
}
