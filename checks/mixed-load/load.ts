/** Callers who compare every answer with the conformance model, and record what they got. */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { until } from "@stowage/process/testing";
import { atConstantRate } from "../testing/constant-rate.ts";
import { type CallOptions, type Client, openClient } from "./call.ts";
import { CallLog, type Outcome } from "./call-log.ts";
import { type CheckedRequest, largeTreeRequest, sampleRequests } from "./checked-requests.ts";
import type { Data, State } from "./data.ts";
import { type ErrorReader, readDocumentedErrors } from "./documented-errors.ts";
import type { World } from "./world.ts";

export interface Load {
  readonly log: CallLog;
  readonly client: Client;
  /** The requests that callers choose from. */
  readonly requests: readonly CheckedRequest[];
  readonly largeTree: CheckedRequest;
  /** The states that the second bucket may be in now. */
  possibleStates: ReadonlySet<State>;
  readonly world: World;
  readonly readReason: ErrorReader;
  readonly tokens: Map<string, string>;
}

export async function prepareLoad(world: World, data: Data, seed: number): Promise<Load> {
  return {
    log: new CallLog(),
    client: openClient(world.service.url),
    requests: sampleRequests(data, seed),
    largeTree: largeTreeRequest(data),
    possibleStates: new Set(["one"]),
    world,
    readReason: await readDocumentedErrors(),
    tokens: new Map(),
  };
}

/** Makes one call and records its outcome. */
export function makeCall(
  load: Load,
  request: CheckedRequest,
  options: Pick<CallOptions, "signal" | "readAfter"> = {},
): Promise<Outcome> {
  return load.log.record(request.kind, async () => {
    const { path, body, caller } = request;
    const before = load.possibleStates;
    const token = tokenOf(load, caller);
    const reply = await load.client.call({ path, body, token, ...options });
    const states = new Set([...before, ...load.possibleStates]);
    if (reply.status === 200) {
      return wrongInAll(request, JSON.parse(reply.text), states) ?? "right";
    }
    const read = load.readReason(reply);
    if ("wrong" in read) return `wrong: ${read.wrong}`;
    const codes = Array.from(states, (state) => request.errorCode(state));
    const code = String(JSON.parse(reply.text).code);
    return codes.includes(code) ? "right" : read.reason;
  });
}

/** What is wrong with an answer; undefined if it is right in one of the states. */
function wrongInAll(
  request: CheckedRequest,
  answer: unknown,
  states: ReadonlySet<State>,
): Outcome | undefined {
  let wrong = "";
  for (const state of states) {
    try {
      request.assertRight(answer, state);
      return undefined;
    } catch (error) {
      wrong = (error as Error).message;
    }
  }
  return `wrong: ${wrong}`;
}

/** One token for each caller, as programs do. */
function tokenOf({ tokens, world }: Load, caller: CheckedRequest["caller"]): string {
  const key = JSON.stringify(caller);
  const token = tokens.get(key) ?? world.issuer.mint(caller);
  tokens.set(key, token);
  return token;
}

/** Makes every call at once. True if all answers are right. */
export async function areAllRight(load: Load): Promise<boolean> {
  const outcomes = await Promise.all(load.requests.map((request) => makeCall(load, request)));
  return outcomes.every((outcome) => outcome === "right");
}

/**
 * Makes every call at once, several times, until all answers are right. Errors before
 * that do not count, because new processes may be slow. Wrong answers do.
 */
export async function warmUp(load: Load, rounds: number): Promise<void> {
  await until("all answers are right", () => areAllRight(load), 120_000);
  for (let round = 1; round < rounds; round++) await areAllRight(load);
  const wrong = load.log.failed.find(({ outcome }) => outcome.startsWith("wrong"));
  if (wrong) throw new Error(`got a wrong answer: ${wrong.kind}: ${wrong.outcome}`);
  load.log.clear();
}

/** Makes calls at a constant rate until it is stopped. */
export function startCalls(load: Load, perSecond: number): { stop(): Promise<void> } {
  let turn = 0;
  return atConstantRate(perSecond, async () => {
    const request = load.requests[(turn++ * 7) % load.requests.length];
    if (request) await makeCall(load, request);
  });
}

/** Imports the other state of the second bucket, again and again. */
export async function importUntil(signal: AbortSignal, load: Load, data: Data, pauseMs: number) {
  let state: State = "one";
  while (!signal.aborted) {
    const next: State = state === "one" ? "other" : "one";
    load.possibleStates = new Set([...load.possibleStates, next]);
    const outcome = await load.log.record("import", async () =>
      (await load.world.load(data.importOf[next])) ? "right" : "failed",
    );
    // The database may have committed an import whose connection broke.
    if (outcome === "right") load.possibleStates = new Set([next]);
    state = next;
    await pause(pauseMs, signal);
  }
}

/** The denylist promises to refuse a revoked token by then, also while the database fails. */
const revocationTimeMaxMs = 12_000;

/** Revokes tokens, again and again, and checks that they are refused in time. */
export async function revokeUntil(signal: AbortSignal, load: Load, pauseMs: number) {
  const [request] = load.requests;
  while (!signal.aborted && request) {
    const tokenId = randomUUID();
    const token = load.world.issuer.mint(request.caller, { jti: tokenId });
    const call = { path: request.path, body: request.body, token };
    // The service has seen the token, so that it is in its cache.
    await load.client.call(call).catch(() => undefined);
    const outcome = await load.log.record("revocation", async () => {
      const isRevoked = await load.world.runCommand("tokens", "revoke", "--jti", tokenId);
      return isRevoked ? "right" : "failed";
    });
    if (outcome === "right") {
      const revokedMs = performance.now();
      await load.log.record("revoked token", () => untilRefused(load, call, revokedMs));
    }
    await pause(pauseMs, signal);
  }
}

async function untilRefused(load: Load, call: CallOptions, revokedMs: number): Promise<Outcome> {
  for (;;) {
    const askedMs = performance.now();
    const reply = await load.client.call(call).catch(() => undefined);
    if (reply !== undefined && reply.status !== 200) {
      const read = load.readReason(reply);
      if ("wrong" in read) return `wrong: ${read.wrong}`;
      if (read.reason === "TOKEN_REVOKED") return "right";
    } else if (reply?.status === 200 && askedMs - revokedMs > revocationTimeMaxMs) {
      return "wrong: a token is accepted long after its revocation";
    }
    await setTimeout(50);
  }
}

async function pause(timeMs: number, signal: AbortSignal): Promise<void> {
  await setTimeout(timeMs, undefined, { signal }).catch(() => undefined);
}
