/** What everybody can begin without an account: guesses of clients, and sign-ins. */
import { hash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { withClient } from "@stowage/process/testing";
import { atConstantRate, inLoops } from "../../testing/load.ts";
import type { Fault } from "../episodes.ts";
import { requestToken } from "./calls.ts";
import { callback, type World } from "./world.ts";

export function crowds(world: World, pace: number): readonly Fault[] {
  return [
    {
      name: "100 strangers a second who guess clients",
      slowdownMax: 2,
      run: (durationMs) => guess(world, guessesPerSecond * pace, durationMs),
    },
    {
      name: "a flood of pushed requests and sign-ins from 200 addresses",
      run: (durationMs) => flood(world, Math.ceil(senders * pace), durationMs),
    },
  ];
}

const guessesPerSecond = 100;

/** Every stranger asks for a token as a client that does not exist. */
async function guess(
  world: World,
  perSecond: number,
  durationMs: number,
): Promise<readonly string[]> {
  const problems = new Set<string>();
  const guesses = atConstantRate(perSecond, async () => {
    const { status, text } = await requestToken(world, `${randomUUID()}:a guess`);
    const isRefused = status === 401 && text.includes('"invalid_client"');
    if (!isRefused) problems.add(`a stranger got ${status} ${text}`);
  });
  await setTimeout(durationMs);
  await guesses.stop();
  return Array.from(problems);
}

const senders = 16;
const addressesCount = 200;
/** The headers of a request have at most 16 KiB. */
const stateBytes = 9000;
/** What docs/access.md promises. */
const growthMebibytesMax = 512;

/** Requests as large as they may be, which nobody completes, do not fill the database. */
async function flood(world: World, width: number, durationMs: number): Promise<readonly string[]> {
  const startBytes = await sizeOf(world);
  let growthBytes = 0;
  const sending = inLoops(width, () => beginSignIn(world));
  for (const endMs = performance.now() + durationMs; performance.now() < endMs; ) {
    await setTimeout(1000);
    growthBytes = Math.max(growthBytes, (await sizeOf(world)) - startBytes);
  }
  await sending.stop();
  const mebibytes = Math.round(growthBytes / 2 ** 20);
  return mebibytes > growthMebibytesMax ? [`the database grew by ${mebibytes} MiB`] : [];
}

async function beginSignIn({ authUrl, clientId }: World): Promise<void> {
  const number = Math.floor(Math.random() * addressesCount);
  const headers = { "x-forwarded-for": `203.0.113.${number}` };
  const parameters = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    redirect_uri: callback,
    scope: "openid",
    code_challenge: hash("sha256", randomBytes(8), "base64url"),
    code_challenge_method: "S256",
    state: randomBytes(stateBytes).toString("base64url"),
  });
  const response =
    Math.random() < 0.5
      ? await fetch(`${authUrl}/par`, { method: "POST", body: parameters, headers })
      : await fetch(`${authUrl}/auth?${parameters}`, { redirect: "manual", headers });
  await response.text();
}

async function sizeOf({ databaseUrl }: World): Promise<number> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query("select pg_database_size(current_database())::float8 as bytes"),
  );
  return rows[0].bytes;
}
