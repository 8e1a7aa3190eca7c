/** Signing keys change while two processes issue tokens and two uploads servers accept them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { until } from "@stowage/process/testing";
import { atConstantRate } from "../testing/load.ts";
import { type RunningServices, startServices } from "./testing/running-services.ts";
import {
  addClient,
  type Client,
  callList,
  type IssuedToken,
  requestToken as requestTokenOf,
} from "./testing/token-calls.ts";

const waitMaxMs = 60_000;
const callsPerSecond = 200;
/** Each request hashes a secret, which takes some 30 ms of a core. */
const tokensPerSecond = 8;

describe("signing keys that change under load", () => {
  let services: RunningServices;
  let client: Client;
  let first: IssuedToken;

  before(async () => {
    services = await startServices({ uploadsServers: 2, settings: { KEY_PUBLICATION_S: "3" } });
    client = await addClient(services);
  });
  after(() => services.stop());

  const requestToken = () => requestTokenOf(services.authUrl, client);

  let turn = 0;
  let calledAgain = 0;
  /**
   * The status of a call to the uploads servers in turn. On a busy machine a server may not get
   * the keys in time and answers 503. Then the call is repeated, as clients do.
   */
  async function statusWith(token: IssuedToken): Promise<number> {
    const { uploadsUrls } = services;
    const uploadsUrl = uploadsUrls[turn++ % uploadsUrls.length] ?? "";
    const { status, headers } = await callList(uploadsUrl, token.text);
    if (status !== 503) return status;
    calledAgain += 1;
    await setTimeout(Number(headers.get("retry-after")) * 1000);
    return await statusWith(token);
  }

  async function states(): Promise<Record<string, string>> {
    const list = await services.run("keys", "list", "--json");
    const keys = JSON.parse(list) as Record<"keyId" | "state", string>[];
    return Object.fromEntries(keys.map(({ keyId, state }) => [keyId, state]));
  }

  it("are rotated without a failed request to either service", async (context) => {
    first = await requestToken();
    /** The newest tokens, and the number of accepted calls by key. */
    const tokens = [first];
    const accepted = new Map<string, number>();
    const issuing = atConstantRate(tokensPerSecond, async () => {
      tokens.unshift(await requestToken());
      tokens.splice(2 * tokensPerSecond);
    });
    const calling = atConstantRate(callsPerSecond, async () => {
      const token = anyOf(tokens);
      assert.equal(await statusWith(token), 200);
      accepted.set(token.keyId, (accepted.get(token.keyId) ?? 0) + 1);
    });
    const startedMs = performance.now();
    const enough = (keyId: string) => (accepted.get(keyId) ?? 0) >= 2 * callsPerSecond;
    let next = "";
    try {
      await until("calls with the old key", () => enough(first.keyId), waitMaxMs);
      next = /^published key ([\w-]+);/.exec(await services.run("keys", "rotate"))?.[1] ?? "";
      await until("calls with the new key", () => enough(next), waitMaxMs);
    } finally {
      await Promise.all([issuing.stop(), calling.stop()]);
    }
    const seconds = (performance.now() - startedMs) / 1000;

    assert.deepEqual(await states(), { [first.keyId]: "retired", [next]: "signing" });
    assert.deepEqual([...accepted.keys()], [first.keyId, next]);
    assert.equal(await statusWith(first), 200, "a token of the old key is valid until it expires");
    const rate = (count: number) => (count / seconds).toFixed(0);
    context.diagnostic(
      `${calling.begun} calls (${rate(calling.begun)}/s) and ${issuing.begun} token requests ` +
        `(${rate(issuing.begun)}/s) in ${seconds.toFixed(1)} s: none refused, ` +
        `${calledAgain} made again`,
    );
  });

  it("are withdrawn at once, with the tokens that they signed and no others", async (context) => {
    const withdrawn = await requestToken();
    let withdrawnAtMs = 0;
    let lastAcceptedMs = 0;
    let refused = 0;
    let refusedInARow = 0;
    const calling = atConstantRate(callsPerSecond, async () => {
      const token = anyOf([first, withdrawn]);
      const begunMs = performance.now();
      const status = await statusWith(token);
      if (token === first) return assert.equal(status, 200, "the other key's token");
      if (status === 200) {
        lastAcceptedMs = Math.max(lastAcceptedMs, begunMs);
        refusedInARow = 0;
      } else {
        assert.equal(status, 401);
        refused += 1;
        refusedInARow += 1;
      }
    });
    try {
      await until("calls before", () => calling.begun >= callsPerSecond / 2, waitMaxMs);
      assert.equal(refused, 0);
      await services.run("keys", "withdraw", withdrawn.keyId);
      withdrawnAtMs = performance.now();
      await until("calls that are refused", () => refusedInARow > callsPerSecond, waitMaxMs);
    } finally {
      await calling.stop();
    }

    const tookMs = Math.max(lastAcceptedMs - withdrawnAtMs, 0);
    // Reported, not tested: it depends on the load of the machine.
    context.diagnostic(
      `of ${calling.begun} calls ${refused} were refused, all with the key; the last was ` +
        `accepted ${tookMs.toFixed(0)} ms after the command had ended`,
    );
  });

  it("have a successor when the signing key is withdrawn", async () => {
    // Both processes must have noticed the withdrawal.
    let goodOnes = 0;
    const known = await states();
    await until(
      "new tokens are good",
      async () => {
        const token = await requestToken();
        goodOnes = known[token.keyId] === "signing" ? goodOnes + 1 : 0;
        if (goodOnes > 0) assert.equal(await statusWith(token), 200);
        return goodOnes > 2;
      },
      waitMaxMs,
    );
    assert.deepEqual(Object.values(known).sort(), ["retired", "signing", "withdrawn"]);
  });
});

function anyOf(tokens: readonly IssuedToken[]): IssuedToken {
  return tokens[Math.floor(Math.random() * tokens.length)] as IssuedToken;
}
