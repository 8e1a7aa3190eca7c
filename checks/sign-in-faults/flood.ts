/**
 * A flood of what everybody can begin: pushed requests and sign-ins of a public client, as large as
 * they may be and from many addresses, while somebody signs in.
 */
import { hash, randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { withClient } from "@stowage/process/testing";
import { getTokens, signIn } from "./sign-in-calls.ts";
import { callback, startWorld, type World } from "./world.ts";

interface FloodOptions {
  readonly durationMs: number;
  /** How long a sign-in that has begun is stored; an hour unless set. */
  readonly pageSeconds: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

interface FloodReport {
  readonly problems: readonly string[];
  readonly summary: readonly string[];
  /** The largest size of the database above that before the flood. */
  readonly growthBytes: number;
}

/** What docs/access.md promises. */
export const growthBytesMax = 512 * 2 ** 20;

const addressesCount = 200;
const senders = 16;
/** The headers of a request have at most 16 KiB. */
const paddingBytes = 12_000;

export async function runFlood(options: FloodOptions): Promise<FloodReport> {
  const world = await startWorld(1, {
    SIGN_IN_PAGE_S: String(options.pageSeconds),
    TRUSTED_PROXIES: "127.0.0.1",
  });
  try {
    const startBytes = await sizeOf(world);
    const stopping = new AbortController();
    const { signal } = stopping;
    const counts = new Map<string, number>();
    const sending = Array.from({ length: senders }, () => send(world, counts, signal));
    const people = signInUntil(signal, world);
    const endMs = performance.now() + options.durationMs;
    let growthBytes = 0;
    while (performance.now() < endMs && !options.signal.aborted) {
      await setTimeout(1000);
      growthBytes = Math.max(growthBytes, (await sizeOf(world)) - startBytes);
      options.say(`${mebibytes(growthBytes)} more, ${await rowsOf(world)} rows`);
    }
    stopping.abort();
    await Promise.all(sending);
    const { signedIn, problems } = await people;
    const outcomes = Array.from(counts, ([outcome, count]) => `${count} ${outcome}`);
    return {
      problems,
      summary: [outcomes.toSorted().join(", "), `${signedIn} people signed in meanwhile`],
      growthBytes,
    };
  } finally {
    await world.close();
  }
}

async function send(world: World, counts: Map<string, number>, signal: AbortSignal) {
  while (!signal.aborted) {
    const number = Math.floor(Math.random() * addressesCount);
    const headers = { "x-forwarded-for": `203.0.113.${number}` };
    const parameters = new URLSearchParams({
      client_id: world.clientId,
      response_type: "code",
      redirect_uri: callback,
      scope: "openid",
      code_challenge: hash("sha256", randomBytes(8), "base64url"),
      code_challenge_method: "S256",
      state: randomBytes((paddingBytes * 3) / 4).toString("base64url"),
    });
    const isPushed = Math.random() < 0.5;
    const response = isPushed
      ? await fetch(`${world.authUrl}/par`, { method: "POST", body: parameters, headers })
      : await fetch(`${world.authUrl}/auth?${parameters}`, { redirect: "manual", headers });
    await response.text();
    const location = response.headers.get("location") ?? "";
    const outcome = location.includes("error=") ? "refused" : String(response.status);
    const what = `${isPushed ? "/par" : "/auth"} ${outcome}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
}

/** People at another address than the flood. */
async function signInUntil(signal: AbortSignal, world: World) {
  const problems: string[] = [];
  let signedIn = 0;
  while (!signal.aborted) {
    for (const person of world.people) {
      const code = await signIn(world, person);
      const tokens = "got" in code ? await getTokens(world, code.got) : code;
      if ("got" in tokens) signedIn += 1;
      else problems.push(`a person was refused: ${tokens.refused}`);
    }
    await setTimeout(500);
  }
  return { signedIn, problems };
}

function sizeOf(world: World): Promise<number> {
  return readNumber(world, "select pg_database_size(current_database())::float8 as number");
}

function rowsOf(world: World): Promise<number> {
  return readNumber(world, "select count(*)::int as number from auth.provider_records");
}

async function readNumber({ databaseUrl }: World, text: string): Promise<number> {
  const { rows } = await withClient(databaseUrl, (client) => client.query(text));
  return rows[0].number;
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
