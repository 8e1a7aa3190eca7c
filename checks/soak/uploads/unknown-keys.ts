/** Anybody can send tokens under made-up key IDs, for each of which the issuer may have a key. */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { encode } from "../../testing/issuer.ts";
import { atConstantRate } from "../../testing/load.ts";
import type { Fault } from "../episodes.ts";
import { workersOf } from "../usage.ts";
import { type Client, openClient } from "./client.ts";
import { busy } from "./faults.ts";
import type { Load } from "./load.ts";

const perSecond = 200;
/**
 * Each worker may ask for the keys twice in any such time, however many keys are unknown. On a busy
 * machine, a third request may come early.
 */
const [windowMs, fetchesMax] = [10_000, 3];
/** A key that is published works after this, also during the flood. */
const newKeyMsMax = 5000;

export function unknownKeys(load: Load, pace: number): readonly Fault[] {
  const stranger = openClient(load.world.service.url, "127.0.0.3");
  const flood = (what: string, during: (notes: Notes) => Promise<unknown>): Fault => ({
    name: `unknown keys, ${what}`,
    mayGet: busy,
    async run(durationMs) {
      const notes: Notes = { durationMs, problems: new Set() };
      const { issuer, service } = load.world;
      const sinceMs = performance.now();
      const sending = atConstantRate(perSecond * pace, () => sendUnknown(load, stranger, notes));
      await Promise.all([setTimeout(durationMs), during(notes)]);
      await sending.stop();
      stranger.closeIdle();
      issuer.behaviour = "up";
      const times = issuer.fetchTimesMs.filter((timeMs) => timeMs >= sinceMs);
      const fetches = mostInWindow(times);
      const workers = await workersOf(service.processId);
      if (fetches > fetchesMax * workers.length) {
        notes.problems.add(`the issuer got ${fetches} requests in ${windowMs} ms`);
      }
      return Array.from(notes.problems);
    },
  });
  const { issuer } = load.world;
  return [
    flood("a new key midway", async (notes) => {
      await setTimeout(notes.durationMs / 2);
      await useNewKey(load, notes);
    }),
    flood("a new key at once", (notes) => useNewKey(load, notes)),
    flood("the issuer fails", async () => (issuer.behaviour = "failing")),
    flood("the issuer hangs", async () => (issuer.behaviour = "hanging")),
  ];
}

interface Notes {
  readonly durationMs: number;
  readonly problems: Set<string>;
}

const payload = encode({});

/** It must be told whether its key is unknown, or the issuer unavailable. */
async function sendUnknown(load: Load, client: Client, { problems }: Notes): Promise<void> {
  const { path, body } = load.requests[0]!;
  const token = `${encode({ alg: "RS256", kid: randomUUID(), typ: "JWT" })}.${payload}.c2ln`;
  const read = load.readReason(await client.call({ path, body, token }));
  const isRight =
    "reason" in read && /^(?:KEY_UNKNOWN|KEY_SET_UNAVAILABLE|SERVER_BUSY)$/.test(read.reason);
  if (!isRight) problems.add(`an unknown key is answered ${JSON.stringify(read)}`);
}

/** Calls under a new key until no worker has refused it for a second. */
async function useNewKey({ world, requests, client }: Load, { problems }: Notes): Promise<void> {
  const { path, body, caller } = requests[0]!;
  world.issuer.publishKey();
  const token = world.issuer.mint(caller);
  const publishedMs = performance.now();
  let refusedMs = publishedMs;
  while (performance.now() - refusedMs < 1000) {
    const calledMs = performance.now();
    const { status } = await client.call({ path, body, token });
    if (status === 401) refusedMs = calledMs;
    if (calledMs - publishedMs > 2 * newKeyMsMax) break;
    await setTimeout(20);
  }
  const tookMs = Math.round(refusedMs - publishedMs);
  if (tookMs > newKeyMsMax) problems.add(`a new key was refused for ${tookMs} ms`);
}

/** The most of these ascending times within any window. */
function mostInWindow(timesMs: readonly number[]): number {
  const inWindow = timesMs.map(
    (startMs) => timesMs.filter((ms) => ms >= startMs && ms < startMs + windowMs).length,
  );
  return Math.max(0, ...inWindow);
}
