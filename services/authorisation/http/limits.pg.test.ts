import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { get } from "node:http";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { addOtherClient, type OtherClient } from "../testing/other-clients.ts";
import { startTestService, type TestService, testClient } from "../testing/test-service.ts";
import { basic, postForm } from "../testing/token-request.ts";

const grant = { grant_type: "client_credentials" };
const wrong = { authorization: basic(testClient.clientId, "wrong") };
let service: TestService;
let colleague: OtherClient;
before(async () => {
  service = await startTestService();
  colleague = await addOtherClient(service.pool);
});
after(() => service[Symbol.asyncDispose]());

async function assertBusy(response: Response, status: number): Promise<void> {
  const { error } = (await response.json()) as { error: string };
  assert.deepEqual([response.status, error], [status, "temporarily_unavailable"]);
  const waitSeconds = Number(response.headers.get("retry-after"));
  assert.ok(Number.isInteger(waitSeconds) && waitSeconds >= 1 && waitSeconds <= 60);
  assert.equal(response.headers.get("cache-control"), "no-store");
}

describe("a body in chunks", () => {
  async function postPieces(bytes: number): Promise<Response> {
    const padding = "x".repeat(bytes);
    const pieces = ["grant_type=client", "_credentials&padding=", padding].map((text) =>
      new TextEncoder().encode(text),
    );
    return await fetch(`${service.authUrl}/token`, {
      method: "POST",
      headers: {
        authorization: basic(testClient.clientId, testClient.clientSecret),
        "content-type": "application/x-www-form-urlencoded",
      },
      body: ReadableStream.from(pieces),
      duplex: "half",
    } as RequestInit);
  }

  it("is read like any other, up to the limit", async () => {
    const others = "grant_type=client_credentials&padding=".length;
    assert.equal((await postPieces(16 * 1024 - others)).status, 200);
    const response = await postPieces(16 * 1024 - others + 1);
    assert.equal(response.status, 413);
    assert.equal(((await response.json()) as { error: string }).error, "invalid_request");
  });
});

describe("a limit on how often", () => {
  it("an address may ask counts every request but those for public documents", async () => {
    const another = await service.startAnother({
      addressRequestsPerMinuteMax: 3,
      trustedProxies: ["127.0.0.1"],
    });
    const { authUrl } = another;
    const from = (address: string) => ({ "x-forwarded-for": address });
    assert.equal((await postForm(authUrl, grant, from("203.0.113.1"))).status, 200);
    const refused = await postForm(authUrl, grant, { ...wrong, ...from("203.0.113.1") });
    assert.equal(refused.status, 401);
    const headers = from("203.0.113.1");
    await fetch(`${authUrl}/revocation`, { method: "POST", headers });
    await assertBusy(await postForm(authUrl, grant, headers), 429);
    for (const path of ["/.well-known/jwks.json", "/healthz"]) {
      assert.equal((await fetch(authUrl + path, { headers })).status, 200);
    }
    assert.equal((await postForm(authUrl, grant, from("203.0.113.2"))).status, 200);
    await another.stop();
  });

  it("an address may ask counts a whole network of IPv6", async () => {
    const another = await service.startAnother({
      addressRequestsPerMinuteMax: 1,
      trustedProxies: ["127.0.0.1"],
    });
    const ask = (address: string) =>
      fetch(`${another.authUrl}/auth`, { headers: { "x-forwarded-for": address } });
    assert.equal((await ask("2001:db8::1")).status, 400);
    await assertBusy(await ask("2001:db8::2:1"), 429);
    assert.equal((await ask("2001:db8:0:1::1")).status, 400);
    await another.stop();
  });

  it("a client may ask counts what comes from the client itself only", async () => {
    const another = await service.startAnother({ clientRequestsPerMinuteMax: 2 });
    const { authUrl } = another;
    for (const _ of [1, 2, 3]) assert.equal((await postForm(authUrl, grant, wrong)).status, 401);
    for (const _ of [1, 2]) assert.equal((await postForm(authUrl, grant)).status, 200);
    await assertBusy(await postForm(authUrl, grant), 429);
    const { authorization } = colleague;
    assert.equal((await postForm(authUrl, grant, { authorization })).status, 200);
    await another.stop();
  });
});

it("revocations count as requests of a client, and a refused one changes nothing", async () => {
  const another = await service.startAnother({ clientRequestsPerMinuteMax: 3 });
  const { authUrl } = another;
  const tokens: string[] = [];
  for (const _ of [1, 2]) {
    const { access_token } = (await (await postForm(authUrl, grant)).json()) as Issued;
    tokens.push(access_token);
  }
  const authorization = basic(testClient.clientId, testClient.clientSecret);
  const revoke = (token = "") =>
    fetch(`${authUrl}/revocation`, {
      method: "POST",
      headers: { authorization },
      body: new URLSearchParams({ token }),
    });
  assert.equal((await revoke(tokens[0])).status, 200);
  await assertBusy(await revoke(tokens[1]), 429);
  const { rows } = await service.pool.query("select from denylist.entries");
  assert.equal(rows.length, 1);
  await another.stop();
});

interface Issued {
  access_token: string;
}

it("connections of one address beyond its limit are closed, but not those of proxies", async () => {
  const limit = { addressConnectionsMax: 1, trustedProxies: ["127.0.0.2"] };
  const another = await service.startAnother(limit);
  const { port } = another;
  const path = "/healthz";
  const from = (localAddress: string) => ({ host: "127.0.0.1", port, localAddress, agent: false });
  const held = ["127.0.0.1", "127.0.0.2"].map((address) => connect(from(address)));
  await Promise.all(held.map((socket) => once(socket, "connect")));
  await assert.rejects(once(get({ ...from("127.0.0.1"), path }), "response"), {
    code: "ECONNRESET",
  });
  const [answer] = await once(get({ ...from("127.0.0.2"), path }), "response");
  assert.equal(answer.resume().statusCode, 200);
  for (const socket of held) socket.destroy();
  await another.stop();
});

it("a flood of wrong secrets gets one kind of refusal, and refuses nobody else", async () => {
  const withoutSecret = new URLSearchParams({ ...grant, client_id: testClient.clientId });
  const asked: Record<string, () => Promise<Response>> = {
    "a wrong secret": () => postForm(service.authUrl, grant, wrong),
    "an unknown client": () =>
      postForm(service.authUrl, grant, { authorization: basic(randomUUID(), "x") }),
    "no secret": () => fetch(`${service.authUrl}/token`, { method: "POST", body: withoutSecret }),
    "the right secret": () => postForm(service.authUrl, grant),
  };
  const kinds = Object.keys(asked);
  const responses = await Promise.all(
    Array.from({ length: 250 }, async (_, index) => {
      const kind = kinds[index % kinds.length] ?? "";
      const { status, text } = await (asked[kind] as () => Promise<Response>)().then(
        async (response) => ({ status: response.status, text: await response.text() }),
      );
      return { kind, status, text };
    }),
  );
  const served = responses.filter(({ kind }) => kind === "the right secret");
  assert.deepEqual(new Set(served.map(({ status }) => status)), new Set([200]));
  const refused = responses.filter(({ kind }) => kind !== "the right secret");
  assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([401]));
  assert.equal(new Set(refused.map(({ text }) => text)).size, 1);
});
