import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createAccessTokenValidator, remoteKeySet } from "@stowage/access-token";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import {
  startTestService,
  type TestService,
  testAudiences,
  testClient,
} from "../testing/test-service.ts";
import { postForm, requestToken } from "../testing/token-request.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

it("a token has exactly the members of the contract, in its header and in its claims", async () => {
  const token = await requestToken(service.authUrl);

  const { kid, ...header } = decodeProtectedHeader(token);
  assert.deepEqual(header, { alg: "RS256", typ: "JWT" });
  assert.equal(typeof kid, "string");

  const { exp, nbf, iat, jti, ...claims } = decodeJwt(token);
  const { "urn:svc:auth:authorisation_id": authorisationId, ...rest } = claims;
  assert.deepEqual(rest, {
    iss: service.authUrl,
    sub: `urn:svc:serviceaccount:${testClient.clientId}`,
    aud: ["urn:svc:uploads"],
    scope: "upl:bucket:read upl:bucket:write service_account",
    client_id: testClient.clientId,
    azp: testClient.clientId,
    "urn:svc:auth:organisation_id": "acme",
    "urn:svc:auth:application_id": "reports",
  });
  assert.match(String(authorisationId), uuid);
  assert.match(String(jti), uuid);
  assert.equal(nbf, iat);
  assert.equal(Number(exp) - Number(iat), 3600);
  assert.ok(Math.abs(Number(iat) - Date.now() / 1000) < 60);
});

it("no two tokens share an identifier or an authorisation", async () => {
  const tokens = await Promise.all([1, 2, 3].map(() => requestToken(service.authUrl)));
  for (const claim of ["jti", "urn:svc:auth:authorisation_id"]) {
    assert.equal(new Set(tokens.map((token) => decodeJwt(token)[claim])).size, 3);
  }
});

it("jose accepts a token, with the published key set", async () => {
  const keys = createRemoteJWKSet(new URL(`${service.authUrl}/.well-known/jwks.json`));
  const { payload } = await jwtVerify(await requestToken(service.authUrl), keys, {
    issuer: service.authUrl,
    audience: "urn:svc:uploads",
    algorithms: ["RS256"],
    typ: "JWT",
    clockTolerance: 0,
  });
  assert.equal(payload.client_id, testClient.clientId);
});

it("the validator of resource servers accepts a token, as one of a service account", async () => {
  const validator = createAccessTokenValidator({
    issuer: service.authUrl,
    audience: "urn:svc:uploads",
    keySet: remoteKeySet({ issuer: service.authUrl }),
  });
  const token = await validator.validate(await requestToken(service.authUrl));
  assert.equal(token.subjectKind, "service_account");
  assert.equal(token.organisationId, "acme");
});

it("an independent client gets a token, with its secret in header or body", async () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(service.authUrl);
  for (const algorithm of ["oauth2", "oidc"] as const) {
    const discovered = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    for (const authenticate of [oauth.ClientSecretBasic, oauth.ClientSecretPost]) {
      const client = { client_id: testClient.clientId };
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        client,
        authenticate(testClient.clientSecret),
        { scope: "upl:bucket:read", resource: "urn:svc:uploads" },
        insecure,
      );
      const answer = await oauth.processClientCredentialsResponse(server, client, response);
      assert.equal(answer.scope, "upl:bucket:read service_account");
      assert.equal(answer.expires_in, 3600);
    }
  }
});

it("no cache may store an answer with a token", async () => {
  const response = await postForm(service.authUrl, { grant_type: "client_credentials" });
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("pragma"), "no-cache");
  assert.deepEqual(Object.keys((await response.json()) as object).sort(), [
    "access_token",
    "expires_in",
    "scope",
    "token_type",
  ]);
});

it("the requested resource becomes the audience", async () => {
  const [, other = ""] = testAudiences;
  const token = await requestToken(service.authUrl, { resource: other });
  assert.deepEqual(decodeJwt(token).aud, [other]);
});

it("every token is recorded under its authorisation", async () => {
  const claims = decodeJwt(await requestToken(service.authUrl, { scope: "upl:bucket:read" }));
  const { rows } = await service.pool.query(
    `select grant_type, client_id, application_id, organisation_id, subject, audience, scopes,
       abs(extract(epoch from now() - issued_at)) < 60 as is_recent
     from auth.authorisations where authorisation_id = $1`,
    [claims["urn:svc:auth:authorisation_id"]],
  );
  assert.deepEqual(rows, [
    {
      grant_type: "client_credentials",
      client_id: testClient.clientId,
      application_id: "reports",
      organisation_id: "acme",
      subject: claims.sub,
      audience: "urn:svc:uploads",
      scopes: ["upl:bucket:read", "service_account"],
      is_recent: true,
    },
  ]);
});
