/** What another organisation does, from another address, to have more than its share. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { ClientHttp2Session } from "node:http2";
import { setTimeout } from "node:timers/promises";
import { withClient } from "@stowage/process/testing";
import { callers } from "../../conformance/samples/tenants.ts";
import { listUploadsPath } from "../../conformance/testing/json-caller.ts";
import { atConstantRate, inLoops } from "../../testing/load.ts";
import type { Fault } from "../episodes.ts";
import { type CallOptions, type Client, openClient } from "./client.ts";
import { largeImport } from "./data.ts";
import { busyTrees } from "./faults.ts";
import { type Load, makeCall } from "./load.ts";

/**
 * None of them may cost another organisation a list or a search, or a connection to the database,
 * which a statement that is killed with its connection does.
 */
export function neighbours(load: Load, pace: number): readonly Fault[] {
  const client = openClient(load.world.service.url, "127.0.0.3");
  const token = load.world.issuer.mint(callers.stranger);
  const searching = (search: string): CallOptions => ({
    path: listUploadsPath,
    token,
    body: { search, sortBy: "size_bytes" },
  });
  const faults: Readonly<Record<string, (durationMs: number) => Promise<unknown>>> = {
    "searches that are given up while somebody types": (durationMs) =>
      typeAhead(client, searching, pace, durationMs),
    "64 slow searches at once": (durationMs) => slowSearches(client, searching, durationMs),
    "16 slow readers of a large tree": (durationMs) =>
      slowReaders(load, client, { ...load.largeTree, token }, durationMs),
    "1,000 idle HTTP/2 sessions": (durationMs) => idleSessions(client, durationMs),
    "an import of 20,000 rows": async () => {
      if (!(await load.world.load(largeImport()))) throw new Error("Cannot import");
    },
  };
  return Object.entries(faults).map(([name, begin]) => ({
    name,
    mayGet: busyTrees,
    async run(durationMs) {
      const before = await countKilled(load);
      await begin(durationMs);
      client.closeIdle();
      const killed = (await countKilled(load)) - before;
      // A busy machine does not answer the service in time, which then drops connections.
      return killed === 0 || pace < 1 ? [] : [`${killed} connections to the database were killed`];
    },
  }));
}

/** All connections so far that were killed, ended by an error, or abandoned by their client. */
async function countKilled({ world }: Load): Promise<number> {
  const { rows } = await withClient(world.databaseUrl, (client) =>
    client.query(`select (sessions_killed + sessions_fatal + sessions_abandoned)::integer as killed
      from pg_stat_database where datname = current_database()`),
  );
  return rows[0].killed;
}

/** The service may refuse a neighbour. What matters is what others get. */
const ignore = () => undefined;

type Searching = (search: string) => CallOptions;

/** As many as 125 people cause who type four characters a second. */
const searchesPerSecond = 500;
const givenUpAfterMs = 8;
const typedText = "*x*quarterly report 2019";

/** Half by a deadline and half by disconnecting; half over HTTP/1.1 and half over HTTP/2. */
async function typeAhead(client: Client, searching: Searching, pace: number, durationMs: number) {
  let session: ClientHttp2Session | undefined;
  const openSession = () => {
    // The service may close a session in which too many streams are given up.
    if (!session || session.closed || session.destroyed) session = client.openHttp2();
    return session;
  };
  const headers = { "connect-timeout-ms": `${givenUpAfterMs}` };
  const ways = [
    (call: CallOptions) => client.call({ ...call, headers }),
    (call: CallOptions) => client.call({ ...call, signal: AbortSignal.timeout(givenUpAfterMs) }),
    (call: CallOptions) => client.callHttp2(openSession(), { ...call, headers }),
    (call: CallOptions) =>
      client.callHttp2(openSession(), { ...call, signal: AbortSignal.timeout(givenUpAfterMs) }),
  ];
  const typing = atConstantRate(searchesPerSecond * pace, async (number) => {
    const call = searching(typedText.slice(0, 4 + (number % (typedText.length - 3))));
    await ways[number % ways.length]!(call).catch(ignore);
  });
  await setTimeout(durationMs);
  await typing.stop();
  session?.destroy();
}

/** Neither n-grams nor the inverted index help with single characters. */
const slowPatterns = ["*a*e*i*o*u*?*z*", "*z*e*x*i*q*", "*u*o*i*e*a*?*k*", "*f*l*e*?*1*.*t*x*"];

async function slowSearches(client: Client, searching: Searching, durationMs: number) {
  const loops = inLoops(64, (number) =>
    client.call(searching(slowPatterns[number % slowPatterns.length]!)).catch(ignore),
  );
  await setTimeout(durationMs);
  await loops.stop();
}

/** Some read nothing until the end, and then all. The others read 64 KiB/s. */
async function slowReaders(load: Load, client: Client, tree: CallOptions, durationMs: number) {
  const over = AbortSignal.timeout(durationMs);
  const late = Array.from({ length: 4 }, () =>
    makeCall(load, load.largeTree, {
      read: async (response, signal) => {
        await setTimeout(durationMs, undefined, { signal });
        return await readAll(response);
      },
    }),
  );
  const slow = inLoops(12, () =>
    client.call({ ...tree, signal: over, read: readSlowly }).catch(() => setTimeout(250)),
  );
  await setTimeout(durationMs);
  await Promise.all([slow.stop(), ...late]);
}

async function readAll(response: IncomingMessage): Promise<string> {
  // An answer that was broken off before anything read it emits no event any more.
  if (response.destroyed && !response.readableEnded) throw new Error("broken off");
  return (await response.toArray()).join("");
}

async function readSlowly(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  while (!response.readableEnded && !response.destroyed) {
    await setTimeout(250, undefined, { signal });
    if (response.read(16 * 1024) === null && response.complete) response.read();
  }
  return "";
}

/** The default of ADDRESS_CONNECTIONS_MAX. More at once may overflow the listening socket. */
const [sessionCount, openingMax] = [1000, 50];

async function idleSessions(client: Client, durationMs: number) {
  const sessions: ClientHttp2Session[] = [];
  const open = async () => {
    const session = client.openHttp2();
    sessions.push(session);
    await Promise.race([once(session, "remoteSettings"), once(session, "close")]).catch(ignore);
  };
  while (sessions.length < sessionCount) {
    await Promise.all(Array.from({ length: openingMax }, open));
  }
  await setTimeout(durationMs);
  for (const session of sessions) session.destroy();
}
