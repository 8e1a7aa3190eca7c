import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createAccessTokenValidator, remoteKeySet } from "@stowage/access-token";
import { createRemoteJWKSet, decodeJwt, jwtVerify, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { pruneUsedAssertions, revokeServiceAccount } from "../store/service-accounts.ts";
import {
  addKeyedAccount,
  addTestAccount,
  type BearerAnswer,
  bearerGrant,
  showAssertion,
  type TestAccount,
} from "../testing/service-accounts.ts";
import { startTestService, type TestService, testClient } from "../testing/test-service.ts";

const insecure = { [oauth.allowInsecureRequests]: true };
let service: TestService;
let account: TestAccount;
before(async () => {
  service = await startTestService();
  account = await addTestAccount(service.pool, service.authUrl);
});
after(() => service[Symbol.asyncDispose]());

const show = (assertion: string, form = {}, authUrl = service.authUrl) =>
  showAssertion(authUrl, assertion, form);

function assertRefused({ status, error, error_description }: BearerAnswer, what = "it"): void {
  const words = "grant request is invalid";
  assert.deepEqual([status, error, error_description], [400, "invalid_grant", words], what);
}

describe("a service account", () => {
  it("gets a token of exactly the contract's form, for each request", async () => {
    const issuer = new URL(service.authUrl);
    const discovered = await oauth.discoveryRequest(issuer, insecure);
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    assert.ok(server.grant_types_supported?.includes(bearerGrant));
    const keys = createRemoteJWKSet(new URL(`${service.authUrl}/.well-known/jwks.json`));
    const validator = createAccessTokenValidator({
      issuer: service.authUrl,
      audience: "urn:svc:uploads",
      keySet: remoteKeySet({ issuer: service.authUrl }),
    });
    const client = { client_id: account.serviceAccountId };
    for (const _ of ["first", "second"]) {
      const response = await oauth.genericTokenEndpointRequest(
        server,
        client,
        oauth.None(),
        bearerGrant,
        { assertion: account.assertion, scope: "upl:bucket:read" },
        insecure,
      );
      const answer = await oauth.processGenericTokenEndpointResponse(server, client, response);
      assert.deepEqual(
        [answer.expires_in, answer.scope],
        [3600, "upl:bucket:read service_account"],
      );
      const { payload } = await jwtVerify(answer.access_token, keys, {
        issuer: service.authUrl,
        audience: "urn:svc:uploads",
        typ: "JWT",
      });
      const { iat, nbf, exp, jti: _jti, ...claims } = payload;
      assert.deepEqual([nbf, exp], [iat, Number(iat) + 3600]);
      assert.deepEqual(claims, {
        iss: service.authUrl,
        sub: account.subject,
        aud: ["urn:svc:uploads"],
        scope: "upl:bucket:read service_account",
        client_id: account.serviceAccountId,
        azp: account.serviceAccountId,
        "urn:svc:auth:organisation_id": "acme",
        "urn:svc:auth:application_id": claims["urn:svc:auth:application_id"],
        "urn:svc:auth:authorisation_id": claims["urn:svc:auth:authorisation_id"],
      });
      const token = await validator.validate(answer.access_token);
      assert.equal(token.subjectKind, "service_account");
    }
  });

  it("may leave out client_id, but must not name another account", async () => {
    assert.equal((await show(account.assertion)).status, 200);
    const client_id = account.serviceAccountId;
    assert.equal((await show(account.assertion, { client_id })).status, 200);
    const other = await addTestAccount(service.pool, service.authUrl);
    assertRefused(await show(account.assertion, { client_id: other.serviceAccountId }));
    const unknown = await show(account.assertion, { client_id: randomUUID() });
    assert.deepEqual([unknown.status, unknown.error], [401, "invalid_client"]);
    const client = await show(account.assertion, {
      client_id: testClient.clientId,
      client_secret: testClient.clientSecret,
    });
    assert.deepEqual([client.status, client.error], [400, "invalid_request"]);
  });

  it("gets the requested resource and details, and no scope beyond its own", async () => {
    const details = [{ type: "bucket", actions: ["read"], locations: ["/photos"] }];
    const answer = await show(account.assertion, {
      resource: "https://other.example/api",
      authorization_details: JSON.stringify(details),
    });
    const { aud, authorization_details } = decodeJwt(answer.access_token);
    assert.deepEqual([aud, authorization_details], [["https://other.example/api"], details]);
    for (const [form, error] of [
      [{ scope: "upl:bucket:delete" }, "invalid_scope"],
      [{ resource: "urn:svc:unknown" }, "invalid_target"],
      [{ authorization_details: "{" }, "invalid_authorization_details"],
      [{ assertion: "" }, "invalid_request"],
    ] as const) {
      assert.equal((await show(account.assertion, { ...form })).error, error);
    }
  });

  it("can use no other grant without a secret", async () => {
    const client_id = account.serviceAccountId;
    const body = new URLSearchParams({ grant_type: "client_credentials", client_id });
    const response = await fetch(`${service.authUrl}/token`, { method: "POST", body });
    assert.equal(response.status, 400);
    const { access_token: token } = await show(account.assertion);
    for (const id of [client_id, "assertion-bearer"]) {
      const introspected = await fetch(`${service.authUrl}/introspection`, {
        method: "POST",
        body: new URLSearchParams({ token, client_id: id }),
      });
      assert.deepEqual(await introspected.json(), { active: false });
    }
  });

  it("that is revoked gets no tokens, and its tokens are revoked", async () => {
    const stolen = await addTestAccount(service.pool, service.authUrl);
    const { access_token: token } = await show(stolen.assertion);
    const isActive = async () => {
      const response = await fetch(`${service.authUrl}/introspection`, {
        method: "POST",
        body: new URLSearchParams({
          token,
          client_id: testClient.clientId,
          client_secret: testClient.clientSecret,
        }),
      });
      return ((await response.json()) as { active: boolean }).active;
    };
    assert.equal(await isActive(), true);
    assert.equal(await revokeServiceAccount(service.pool, stolen.serviceAccountId), "revoked");
    assertRefused(await show(stolen.assertion));
    while (await isActive()) await new Promise(setImmediate);
    const { rows } = await service.pool.query(
      `select issued_before > extract(epoch from now()) + 3000 as covers_what_is_under_way
       from denylist.entries where kind = 'sub' and value = $1`,
      [stolen.subject],
    );
    assert.deepEqual(rows, [{ covers_what_is_under_way: true }]);
    assert.equal(
      await revokeServiceAccount(service.pool, stolen.serviceAccountId),
      "revokedBefore",
    );
  });
});

describe("an issued assertion is refused", () => {
  it("when it has expired", async () => {
    const past = await addTestAccount(service.pool, service.authUrl, { lifetimeMs: -1000 });
    assertRefused(await show(past.assertion));
  });

  it("when it is for another issuer", async () => {
    const elsewhere = await addTestAccount(service.pool, "https://elsewhere.example");
    assertRefused(await show(elsewhere.assertion));
  });

  it("if it is not the one of the account", async () => {
    const assertionId = randomUUID();
    const replaced = await addTestAccount(service.pool, service.authUrl, { assertionId });
    assertRefused(await show(replaced.assertion));
  });

  it("if it was changed, or is no assertion", async () => {
    const other = await addTestAccount(service.pool, service.authUrl);
    const [header = "", payload = "", signature = ""] = account.assertion.split(".");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const [, otherPayload] = other.assertion.split(".");
    for (const assertion of [
      `${header}.${otherPayload}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header}.${payload}.`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      payload,
      "a.b.c",
      "\0",
      `${account.assertion}.`,
      `${account.assertion}${"A".repeat(5000)}`,
    ]) {
      assertRefused(await show(assertion), assertion.slice(0, 40));
    }
  });
});

describe("an account that signs its own assertions", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  let keyed: Omit<TestAccount, "assertion">;
  before(async () => {
    keyed = await addKeyedAccount(service.pool, privateKey);
  });

  async function sign(changes: object = {}, key: KeyObject = privateKey, alg = "EdDSA") {
    const now = Math.floor(Date.now() / 1000);
    return await new SignJWT({
      iss: keyed.subject,
      sub: keyed.subject,
      aud: service.authUrl,
      jti: randomUUID(),
      iat: now,
      exp: now + 60,
      ...changes,
    })
      .setProtectedHeader({ alg })
      .sign(key);
  }

  it("gets one token for each assertion, even if many show it at once", async () => {
    for (const aud of [service.authUrl, `${service.authUrl}/token`, [service.authUrl, "x"]]) {
      assert.equal((await show(await sign({ aud }))).status, 200);
    }
    const assertion = await sign();
    const another = await service.startAnother({ authUrl: service.authUrl });
    const there = `http://127.0.0.1:${another.port}`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        show(assertion, {}, index % 2 ? there : service.authUrl),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers) if (answer.status !== 200) assertRefused(answer);
    await another.stop();
  });

  it("gets no token for an assertion with a wrong claim", async () => {
    const now = Math.floor(Date.now() / 1000);
    const cases: Record<string, object> = {
      "another issuer": { iss: account.subject },
      "our issuer": { iss: service.authUrl },
      "another subject": { sub: account.subject },
      "a user": { sub: "urn:svc:user:7", iss: "urn:svc:user:7" },
      "another audience": { aud: "https://elsewhere.example" },
      "no audience": { aud: undefined },
      "no expiry": { exp: undefined },
      "no issue time": { iat: undefined },
      "no id": { jti: undefined },
      "an empty id": { jti: "" },
      "a very long id": { jti: "x".repeat(257) },
      "a past one": { iat: now - 200, exp: now - 100 },
      "a future one": { iat: now + 100, exp: now + 200 },
      "one not yet good": { nbf: now + 100 },
      "one that is good for long": { iat: now, exp: now + 301 },
      "an old one that is good for long": { iat: now - 86_400, exp: now + 60 },
    };
    for (const [what, claims] of Object.entries(cases)) {
      assertRefused(await show(await sign(claims)), what);
    }
    const stranger = generateKeyPairSync("ed25519").privateKey;
    assertRefused(await show(await sign({}, stranger)), "another key");
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    assertRefused(await show(await sign({}, rsa, "RS256")), "another algorithm");
  });

  it("used assertions are remembered as long as they are valid", async () => {
    assert.equal(await pruneUsedAssertions(service.pool), 0);
    await service.pool.query("update auth.used_assertions set expires_at = now() - interval '1s'");
    assert.ok((await pruneUsedAssertions(service.pool)) >= 4);
  });
});
