/** Callers who compare every answer with the conformance model, and record what they got. */
import { until } from "@stowage/process/testing";
import { CallLog } from "../call-log.ts";
import { type CheckedRequest, largeTreeRequest, sampleRequests } from "./checked-requests.ts";
import { type CallOptions, type Client, openClient } from "./client.ts";
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
  options: Pick<CallOptions, "signal" | "read"> = {},
): Promise<string> {
  return load.log.record(request.kind, async () => {
    const { path, body, caller } = request;
    const before = load.possibleStates;
    const token = tokenOf(load, caller);
    const reply = await load.client.call({ path, body, token, ...options });
    const states = new Set([...before, ...load.possibleStates]);
    const isAnswer = reply.status === 200;
    const read = isAnswer ? { reason: "" } : load.readReason(reply);
    if ("wrong" in read) return `wrong: ${read.wrong}`;
    const answer = JSON.parse(reply.text);
    const problems = Array.from(states, (state) =>
      request.problemIn(isAnswer ? answer : answer.code, state),
    );
    if (problems.includes(undefined)) return "right";
    return isAnswer ? `wrong: ${problems[0]}` : read.reason;
  });
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
  const wrong = load.log.records.find(({ outcome }) => outcome.startsWith("wrong"));
  if (wrong) throw new Error(`got a wrong answer: ${wrong.kind}: ${wrong.outcome}`);
  load.log.records = [];
}
