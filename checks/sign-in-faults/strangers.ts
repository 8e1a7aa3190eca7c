/**
 * Strangers who guess clients, while people sign in and a program gets tokens. Turns with them
 * alternate with turns without them, so that both see the same machine.
 */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { percentileOf } from "../bench/measuring/statistics.ts";
import { atConstantRate } from "../testing/constant-rate.ts";
import { faultsIn } from "./network-faults.ts";
import { getTokens, signIn } from "./sign-in-calls.ts";
import { startWorld, type World } from "./world.ts";

/** How many begin in a second. */
interface Rates {
  readonly strangers: number;
  readonly signIns: number;
  readonly tokens: number;
}

interface StrangersOptions {
  /** Pairs of turns. */
  readonly rounds: number;
  readonly turnMs: number;
  readonly rates: Rates;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

interface StrangersReport {
  /** Refusals of those who are no strangers, and answers that strangers should not get. */
  readonly problems: readonly string[];
  /** What took too long beside strangers. */
  readonly delays: readonly string[];
  readonly summary: readonly string[];
}

/** The p99 beside strangers, as a multiple of the p99 without them. */
export const ratioMax = 2;
const peopleCount = 20;
const percentiles = [50, 99];
const answerMaxMs = 30_000;

type Kind = "sign-in" | "token";
type Turn = "alone" | "beside strangers";

export async function runStrangers(options: StrangersOptions): Promise<StrangersReport> {
  const world = await startWorld(peopleCount);
  try {
    const calls = new Calls(world, await addProgram(world));
    // The first calls of a process are slow.
    await runTurn(calls, "alone", options);
    calls.forget();
    for (let round = 1; round <= options.rounds && !options.signal.aborted; round++) {
      await runTurn(calls, "alone", options);
      await runTurn(calls, "beside strangers", options);
      options.say(`round ${round}: ${calls.strangers} strangers were refused so far`);
    }
    const report = calls.report();
    return { ...report, summary: [...report.summary, ...faultsIn(world.log())] };
  } finally {
    await world.close();
  }
}

/** Returns the header of a program's requests for tokens. */
async function addProgram(world: World): Promise<string> {
  const added = await world.run(["clients", "add", "--organisation", "acme", "--json"]);
  const { clientId, clientSecret } = JSON.parse(added) as Record<string, string>;
  return basic(`${clientId}:${clientSecret}`);
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

async function runTurn(calls: Calls, turn: Turn, { rates, turnMs, signal }: StrangersOptions) {
  const paced = [
    atConstantRate(rates.tokens, () => calls.getToken(turn)),
    atConstantRate(rates.signIns, () => calls.signIn(turn)),
    ...(turn === "alone" ? [] : [atConstantRate(rates.strangers, () => calls.guess())]),
  ];
  await setTimeout(turnMs, undefined, { signal }).catch(() => undefined);
  await Promise.all(paced.map((each) => each.stop()));
}

/** Makes calls, and keeps how long they took and what was wrong. */
class Calls {
  readonly #world: World;
  readonly #authorization: string;
  readonly #tookMs = new Map<string, number[]>();
  readonly #problems = new Map<string, number>();
  #people = 0;
  strangers = 0;

  constructor(world: World, authorization: string) {
    this.#world = world;
    this.#authorization = authorization;
  }

  forget(): void {
    this.#tookMs.clear();
  }

  async getToken(turn: Turn): Promise<void> {
    await this.#measure("token", turn, async () => {
      const { status, text } = await this.#ask(this.#authorization);
      return status === 200 ? undefined : `${status} ${text}`;
    });
  }

  async signIn(turn: Turn): Promise<void> {
    this.#people += 1;
    const person = this.#world.people[this.#people % peopleCount];
    if (person === undefined) throw new Error("Cannot sign in: there is nobody");
    await this.#measure("sign-in", turn, async () => {
      const code = await signIn(this.#world, person);
      const outcome = "got" in code ? await getTokens(this.#world, code.got) : code;
      return "refused" in outcome ? outcome.refused : undefined;
    });
  }

  /** A stranger asks for a token as a client that does not exist. */
  async guess(): Promise<void> {
    const { status, text } = await this.#ask(basic(`${randomUUID()}:a guess`));
    this.strangers += 1;
    const isRefused = status === 401 && text.includes('"invalid_client"');
    if (!isRefused) this.#note(`a stranger got ${status} ${text}`);
  }

  report(): StrangersReport {
    const delays: string[] = [];
    const summary = [`${this.strangers} requests of strangers`];
    for (const kind of ["sign-in", "token"] as const) {
      const [alone, beside] = (["alone", "beside strangers"] as const).map((turn) => {
        const tookMs = this.#tookMs.get(`${kind} ${turn}`) ?? [];
        const figures = percentiles.map((percentile) => percentileOf(tookMs, percentile));
        const texts = percentiles.map((each, index) => `p${each} ${figures[index]?.toFixed(1)} ms`);
        summary.push(`${kind} ${turn}: ${tookMs.length}, ${texts.join(", ")}`);
        return figures.at(-1) ?? Number.NaN;
      });
      const ratio = Number(beside) / Number(alone);
      summary.push(`${kind}: p99 beside strangers is ${ratio.toFixed(2)} of that alone`);
      if (!(ratio <= ratioMax)) delays.push(`${kind}: p99 is more than ${ratioMax} times as long`);
    }
    const problems = Array.from(this.#problems, ([what, count]) => `${count} × ${what}`);
    return { problems, delays, summary };
  }

  async #measure(kind: Kind, turn: Turn, call: () => Promise<string | undefined>): Promise<void> {
    const startedMs = performance.now();
    const refusal = await call();
    const name = `${kind} ${turn}`;
    if (refusal !== undefined) this.#note(`${name}: ${refusal}`);
    const tookMs = this.#tookMs.get(name) ?? [];
    tookMs.push(performance.now() - startedMs);
    this.#tookMs.set(name, tookMs);
  }

  async #ask(authorization: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.#world.authUrl}/token`, {
      method: "POST",
      headers: { authorization },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
      signal: AbortSignal.timeout(answerMaxMs),
    });
    return { status: response.status, text: await response.text() };
  }

  #note(problem: string): void {
    this.#problems.set(problem, (this.#problems.get(problem) ?? 0) + 1);
  }
}
