/** Writers beside the callers: imports that change a bucket, and revocations of tokens. */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { CallOptions } from "./client.ts";
import type { Data, State } from "./data.ts";
import type { Load } from "./load.ts";

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

async function untilRefused(load: Load, call: CallOptions, revokedMs: number): Promise<string> {
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
