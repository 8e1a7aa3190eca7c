/** Tokens are revoked while several servers accept them. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type DatabaseRelay, relayDatabase, until } from "@stowage/process/testing";
import { audience } from "../testing/issuer.ts";
import { type Service, startService, stowageOn } from "../testing/programs.ts";
import { plainLines } from "./samples/plain.ts";
import { callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, readError } from "./testing/json-caller.ts";

async function revoke(databaseUrl: string, ...parameters: string[]): Promise<void> {
  await stowageOn(databaseUrl)(["tokens", "revoke", ...parameters]);
}

async function statusOf(url: string, token: string): Promise<number> {
  return (await callJson(url, { token })).status;
}

async function reasonOf(url: string, token: string): Promise<string> {
  return readError(await callJson(url, { token })).error.reason;
}

describe("a revoked token", () => {
  let deployment: Deployment;
  let other: Service;
  before(async () => {
    deployment = await deploy({ lines: plainLines });
    other = await startService("uploads", {
      PORT: "0",
      DATABASE_URL: deployment.databaseUrl,
      AUTH_URL: deployment.issuer.url,
      AUDIENCE: audience,
    });
  });
  after(async () => {
    try {
      await other?.stop();
    } finally {
      await deployment?.close();
    }
  });

  const session = randomUUID();
  const subject = `urn:svc:user:${randomUUID()}`;
  const issuedAt = Math.floor(Date.now() / 1000) - 60;
  const ways: Record<string, [claims: object, ...command: string[]]> = {
    "by its ID": [{ jti: "to be revoked" }, "--jti", "to be revoked"],
    "with its session": [{ sid: session }, "--sid", session],
    "with its subject": [{ sub: subject, iat: issuedAt }, "--subject", subject],
  };
  for (const [way, [claims, ...command]] of Object.entries(ways)) {
    it(`is rejected by every server when it is revoked ${way}`, async () => {
      const token = deployment.issuer.mint(callers.reader, claims);
      const bystander = deployment.issuer.mint(callers.reader);
      const urls = [deployment.url, other.url];
      for (const url of urls) assert.equal(await statusOf(url, token), 200);
      await revoke(deployment.databaseUrl, ...command);
      for (const url of urls) {
        await until("the token is refused", async () => (await statusOf(url, token)) !== 200);
        assert.equal(await reasonOf(url, token), "TOKEN_REVOKED");
        assert.equal(await statusOf(url, bystander), 200);
      }
    });
  }

  it("does not affect later tokens of its subject", async () => {
    const name = `urn:svc:user:${randomUUID()}`;
    const before = deployment.issuer.mint(callers.reader, { sub: name, iat: issuedAt });
    const later = () => deployment.issuer.mint(callers.reader, { sub: name });
    await revoke(deployment.databaseUrl, "--subject", name);
    await until(
      "the earlier one is refused",
      async () => (await statusOf(other.url, before)) === 401,
    );
    // The entry covers the whole second in which it was made.
    await until("later ones are good", async () => (await statusOf(other.url, later())) === 200);
  });
});

describe("when the list of revoked tokens is unavailable", () => {
  async function deployBehindRelay(whenBehind: string) {
    const relays: DatabaseRelay[] = [];
    const deployment = await deploy({
      lines: plainLines,
      environmentFor: async (databaseUrl) => {
        const relay = await relayDatabase(databaseUrl);
        relays.push(relay);
        return {
          DENYLIST_DATABASE_URL: relay.databaseUrl,
          DENYLIST_LAG_MAX_MS: "2000",
          DENYLIST_WHEN_BEHIND: whenBehind,
        };
      },
    });
    const [relay] = relays;
    assert(relay);
    const close = async () => {
      try {
        await deployment.close();
      } finally {
        await relay.cut();
      }
    };
    return { deployment, relay, [Symbol.asyncDispose]: close };
  }

  it("tokens are rejected until it is back, and the service is not ready", async () => {
    await using world = await deployBehindRelay("refuse");
    const { deployment, relay } = world;
    const token = deployment.issuer.mint(callers.reader);
    const readiness = async () => (await fetch(new URL("/readyz", deployment.url))).status;
    assert.equal(await statusOf(deployment.url, token), 200);
    assert.equal(await readiness(), 200);
    await relay.cut();
    await until("tokens are refused", async () => (await statusOf(deployment.url, token)) === 503);
    const answer = await callJson(deployment.url, { token });
    const { code, reason } = readError(answer).error;
    assert.deepEqual([code, reason], ["unavailable", "DENYLIST_UNAVAILABLE"]);
    assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d?$/);
    assert.equal(await readiness(), 503);
    await relay.mend();
    await until("tokens are good", async () => (await statusOf(deployment.url, token)) === 200);
    assert.equal(await readiness(), 200);
  });

  it("tokens are accepted if the settings say so, except those known to be revoked", async () => {
    await using world = await deployBehindRelay("serve");
    const { deployment, relay } = world;
    const revoked = deployment.issuer.mint(callers.reader, { jti: "revoked before" });
    await revoke(deployment.databaseUrl, "--jti", "revoked before");
    await until("it is known", async () => (await statusOf(deployment.url, revoked)) === 401);
    await relay.cut();
    await until("the service says that it is behind, and why", async () =>
      /"reason":"[^"]+","msg":"the denylist is behind"/.test(deployment.service.log()),
    );
    assert.equal(await statusOf(deployment.url, deployment.issuer.mint(callers.reader)), 200);
    assert.equal(await reasonOf(deployment.url, revoked), "TOKEN_REVOKED");
  });
});
