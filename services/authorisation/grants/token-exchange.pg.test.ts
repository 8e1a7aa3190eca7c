import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createAccessTokenValidator, remoteKeySet } from "@stowage/access-token";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { accessTokenType, exchange, exchangeGrant } from "../testing/exchange-request.ts";
import { addOtherClient, type OtherClient } from "../testing/other-clients.ts";
import {
  startTestService,
  type TestService,
  testAudiences,
  testClient,
} from "../testing/test-service.ts";
import { requestToken } from "../testing/token-request.ts";
import { userToken } from "../testing/user-token.ts";

const insecure = { [oauth.allowInsecureRequests]: true };
const urn = (clientId: string) => `urn:svc:serviceaccount:${clientId}`;
let service: TestService;
let other: OtherClient;
let third: OtherClient;
before(async () => {
  service = await startTestService();
  other = await addOtherClient(service.pool);
  third = await addOtherClient(service.pool, { scopes: testClient.scopes });
});
after(() => service[Symbol.asyncDispose]());

describe("token exchange", () => {
  it("gives an independent client a token of exactly the contract's form", async () => {
    const issuer = new URL(service.authUrl);
    const discovered = await oauth.discoveryRequest(issuer, insecure);
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    assert.ok(server.grant_types_supported?.includes(exchangeGrant));
    const client = { client_id: other.clientId };
    const subjectToken = await userToken(service, { sid: "session 1" });
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      oauth.ClientSecretBasic(other.clientSecret),
      exchangeGrant,
      { subject_token: subjectToken, subject_token_type: accessTokenType },
      insecure,
    );
    assert.equal(response.headers.get("cache-control"), "no-store");
    const answer = await oauth.processGenericTokenEndpointResponse(server, client, response);
    const { access_token: token, expires_in: lifetime, ...rest } = answer;
    assert.deepEqual(rest, {
      issued_token_type: accessTokenType,
      token_type: "bearer",
      scope: "upl:bucket:read",
    });
    assert.ok(Number(lifetime) > 590 && Number(lifetime) <= 600);

    const keys = createRemoteJWKSet(new URL(`${service.authUrl}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(token, keys, { issuer: service.authUrl, typ: "JWT" });
    const { jti, iat, nbf, "urn:svc:auth:authorisation_id": record, ...claims } = payload;
    assert.deepEqual(claims, {
      iss: service.authUrl,
      sub: "urn:svc:user:7",
      aud: ["urn:svc:uploads"],
      exp: decodeJwt(subjectToken).exp,
      scope: "upl:bucket:read",
      client_id: other.clientId,
      azp: other.clientId,
      "urn:svc:auth:organisation_id": "acme",
      "urn:svc:auth:application_id": claims["urn:svc:auth:application_id"],
      act: { sub: urn(testClient.clientId) },
      sid: "session 1",
    });
    assert.equal(nbf, iat);
    assert.notEqual(jti, decodeJwt(subjectToken).jti);
    const { rows } = await service.pool.query(
      `select grant_type, client_id, subject, source_authorisation_id as source
       from auth.authorisations where authorisation_id = $1`,
      [record],
    );
    assert.deepEqual(rows, [
      {
        grant_type: exchangeGrant,
        client_id: other.clientId,
        subject: "urn:svc:user:7",
        source: "6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f",
      },
    ]);
  });

  it("keeps the kind of the subject: service account or user", async () => {
    const validator = createAccessTokenValidator({
      issuer: service.authUrl,
      audience: "urn:svc:uploads",
      keySet: remoteKeySet({ issuer: service.authUrl }),
    });
    const mine = await exchange(service.authUrl, other, await requestToken(service.authUrl));
    assert.equal(mine.scope, "upl:bucket:read service_account");
    assert.equal((await validator.validate(mine.access_token)).subjectKind, "service_account");
    const theirs = await exchange(service.authUrl, other, await userToken(service));
    assert.equal((await validator.validate(theirs.access_token)).subjectKind, "user");
    const risen = await exchange(service.authUrl, other, await userToken(service), {
      scope: "upl:bucket:read service_account",
    });
    assert.equal(risen.error, "invalid_scope");
  });

  it("names every client that delegated, the last one first, up to four", async () => {
    let token = await userToken(service);
    const chain: string[] = [];
    for (const client of [other, third, other, third]) {
      chain.unshift(urn(String(decodeJwt(token).client_id)));
      token = (await exchange(service.authUrl, client, token)).access_token;
      const act = chain.reduceRight<object>(
        (inner, sub) => ({ sub, ...(Object.keys(inner).length > 0 && { act: inner }) }),
        {},
      );
      assert.deepEqual(decodeJwt(token).act, act);
    }
    const fifth = await exchange(service.authUrl, other, token);
    assert.deepEqual([fifth.status, fifth.error], [400, "invalid_request"]);
    assert.match(fifth.error_description ?? "", /exchanged 4 times/);
  });

  it("can narrow the token in every respect", async () => {
    const read = { type: "bucket", actions: ["read"] };
    const wide = [{ ...read, locations: ["/photos", "/texts"] }];
    const narrow = [{ ...read, locations: ["/photos/2026"] }];
    const token = await requestToken(service.authUrl, {
      authorization_details: JSON.stringify(wide),
    });
    const same = await exchange(service.authUrl, third, token);
    assert.deepEqual(decodeJwt(same.access_token).authorization_details, wide);
    const answer = await exchange(service.authUrl, third, token, {
      scope: "upl:bucket:read",
      resource: "urn:svc:uploads",
      audience: "urn:svc:uploads",
      requested_token_type: "urn:ietf:params:oauth:token-type:jwt",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      authorization_details: JSON.stringify(narrow),
    });
    assert.deepEqual(answer.authorization_details, narrow);
    assert.equal(answer.issued_token_type, "urn:ietf:params:oauth:token-type:jwt");
    const { scope, authorization_details } = decodeJwt(answer.access_token);
    assert.deepEqual([scope, authorization_details], ["upl:bucket:read service_account", narrow]);
    const wider = await exchange(service.authUrl, third, answer.access_token, {
      authorization_details: JSON.stringify(wide),
    });
    assert.deepEqual([wider.status, wider.error], [400, "invalid_authorization_details"]);
  });

  it("keeps the audience of the subject token, even if another is the default", async () => {
    const [, resource = ""] = testAudiences;
    const token = await requestToken(service.authUrl, { resource });
    for (const form of [{}, { authorization_details: '[{"type":"bucket","actions":["read"]}]' }]) {
      const answer = await exchange(service.authUrl, other, token, form);
      assert.deepEqual(decodeJwt(answer.access_token).aud, [resource]);
    }
  });

  it("refuses a token that is revoked, of another organisation, or not ours", async () => {
    const stranger = await addOtherClient(service.pool, { organisationId: "elsewhere" });
    const good = await userToken(service);
    const { kid } = decodeProtectedHeader(good);
    const revoked = await requestToken(service.authUrl);
    await service.pool.query(
      "insert into denylist.entries (kind, value) values ('jti', $1), ('sid', 'ended')",
      [decodeJwt(revoked).jti],
    );
    await service.pool.query("notify denylist_entries");
    while ((await exchange(service.authUrl, other, revoked)).status === 200) {
      await new Promise(setImmediate);
    }
    const now = Math.floor(Date.now() / 1000);
    const cases: [string, OtherClient][] = [
      [good, stranger],
      [revoked, other],
      [await userToken(service, { sid: "ended" }), other],
      [await userToken(service, { exp: now }), other],
      [await userToken(service, { iss: "https://elsewhere.example" }), other],
      [await userToken(service, { aud: ["urn:svc:third"] }), other],
      [await userToken(service, { "urn:svc:auth:organisation_id": undefined }), other],
      [`${good.slice(0, -8)}AAAAAAAA`, other],
      [`${Buffer.from(JSON.stringify({ alg: "none", kid })).toString("base64url")}.e30.`, other],
      ["opaque", other],
    ];
    const texts = new Set<string>();
    for (const [token, client] of cases) {
      const { status, error, error_description } = await exchange(service.authUrl, client, token);
      texts.add(JSON.stringify([status, error, error_description]));
    }
    assert.deepEqual(
      [...texts],
      [
        '[400,"invalid_request","' +
          'the subject_token is not valid, or this client may not exchange it"]',
      ],
    );
  });
});
