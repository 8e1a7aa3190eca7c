import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createAccessTokenValidator, remoteKeySet } from "@stowage/access-token";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import {
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  discover,
  insecure,
  runCodeFlow,
  signInAndAllow,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService, testAudiences } from "../testing/test-service.ts";
import { postForm } from "../testing/token-request.ts";

const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

it("a person signs in and consents; the client gets tokens of the contract's form", async () => {
  const person = await addPerson(service.pool, { loginName: "ada@example.com" });
  const acting = await addActingClient(service.pool, { applicationId: "the-page" });
  const scope = "openid profile upl:bucket:read";
  const { tokens } = await runCodeFlow(service.authUrl, acting, person, { changes: { scope } });
  const keys = createRemoteJWKSet(new URL(`${service.authUrl}/.well-known/jwks.json`));
  const expected = { issuer: service.authUrl, audience: "urn:svc:uploads", typ: "JWT" };
  const { payload } = await jwtVerify(tokens.access_token, keys, expected);
  const { exp, nbf, iat, jti, sid, ...claims } = payload;
  const { "urn:svc:auth:authorisation_id": authorisationId, ...rest } = claims;
  assert.deepEqual(rest, {
    iss: service.authUrl,
    sub: `urn:svc:user:${person.accountId}`,
    aud: ["urn:svc:uploads"],
    scope,
    client_id: acting.client.client_id,
    azp: acting.client.client_id,
    "urn:svc:auth:organisation_id": "acme",
    "urn:svc:auth:application_id": "the-page",
  });
  assert.deepEqual([Number(exp) - Number(iat), nbf], [3600, iat]);
  assert.match(String(jti), /^[0-9a-f-]{36}$/);
  assert.deepEqual([tokens.scope, tokens.expires_in], [scope, 3600]);

  const { payload: idToken } = await jwtVerify(tokens.id_token ?? "", keys, {
    issuer: service.authUrl,
    audience: acting.client.client_id,
  });
  assert.deepEqual(
    [idToken.sub, idToken.sid, idToken.name, idToken.preferred_username],
    [claims.sub, sid, "Ada Lovelace", "ada@example.com"],
  );

  const validator = createAccessTokenValidator({
    issuer: service.authUrl,
    audience: "urn:svc:uploads",
    keySet: remoteKeySet({ issuer: service.authUrl }),
  });
  const token = await validator.validate(tokens.access_token);
  assert.deepEqual([token.subjectKind, token.sessionId], ["user", sid]);
  assert.equal(token.authorisationId, authorisationId);
});

it("each token of a person is recorded, with client, grant, scopes and address", async () => {
  const person = await addPerson(service.pool);
  const acting = await addActingClient(service.pool);
  const { tokens } = await runCodeFlow(service.authUrl, acting, person);
  const claims = decodeJwt(tokens.access_token);
  const { rows } = await service.pool.query(
    `select grant_type, client_id, subject, audience, scopes, address, token_id, sid,
       organisation_id
     from auth.authorisations where authorisation_id = $1`,
    [claims["urn:svc:auth:authorisation_id"]],
  );
  assert.deepEqual(rows, [
    {
      grant_type: "authorization_code",
      client_id: acting.client.client_id,
      subject: claims.sub,
      audience: "urn:svc:uploads",
      scopes: ["openid", "upl:bucket:read"],
      address: "127.0.0.1",
      token_id: claims.jti,
      sid: claims.sid,
      organisation_id: "acme",
    },
  ]);
});

it("a confidential client authenticates, for other resources as well", async () => {
  const person = await addPerson(service.pool);
  const acting = await addActingClient(service.pool, { secret: "a secret of the client's own" });
  const [, resource = ""] = testAudiences;
  const changes = { resource };
  const { tokens } = await runCodeFlow(service.authUrl, acting, person, { changes });
  assert.deepEqual(decodeJwt(tokens.access_token).aud, [resource]);
});

it("a signed-in person who has consented is not asked again, not even later", async () => {
  const person = await addPerson(service.pool);
  const acting = await addActingClient(service.pool);
  const browser = new TestBrowser();
  await runCodeFlow(service.authUrl, acting, person, { browser });
  const silent = { prompt: "none" };
  await runCodeFlow(service.authUrl, acting, person, { browser, changes: silent });
  // In another browser the person signs in, and what was allowed is known.
  const other = new TestBrowser();
  const asked: string[] = [];
  const submit = other.submit.bind(other);
  other.submit = (page, fields) => {
    asked.push(fields.act ?? "");
    return submit(page, fields);
  };
  const { tokens } = await runCodeFlow(service.authUrl, acting, person, { browser: other });
  assert.deepEqual(asked, ["sign-in"]);
  assert.equal(tokens.scope, "openid upl:bucket:read");
  // More than that must be allowed anew.
  const more = { scope: "openid upl:bucket:read upl:bucket:write" };
  await runCodeFlow(service.authUrl, acting, person, { browser: other, changes: more });
  assert.deepEqual(asked, ["sign-in", "allow"]);
});

it("a native client needs consent each time, and may listen on any port", async () => {
  const person = await addPerson(service.pool);
  const acting = await addActingClient(service.pool, {
    isNative: true,
    redirectUris: [callback, "http://127.0.0.1/callback"],
  });
  const browser = new TestBrowser();
  await runCodeFlow(service.authUrl, acting, person, { browser });
  const silent = { prompt: "none" };
  await assert.rejects(runCodeFlow(service.authUrl, acting, person, { browser, changes: silent }), {
    error: "interaction_required",
  });
  const elsewhere = { redirect_uri: "http://127.0.0.1:50123/callback" };
  const server = await discover(service.authUrl);
  const request = authorizationRequest(server, acting.client, challenge, elsewhere);
  const { url } = await signInAndAllow(browser, request, person);
  assert.ok(url.startsWith(`${elsewhere.redirect_uri}?code=`), url);
});

it("the issuer is in the audience if it is requested with a resource server", async () => {
  const person = await addPerson(service.pool);
  const acting = await addActingClient(service.pool);
  const [, other = ""] = testAudiences;
  const resource = [other, service.authUrl];
  const browser = new TestBrowser();
  const both = await runCodeFlow(service.authUrl, acting, person, {
    browser,
    changes: { resource },
  });
  assert.deepEqual(decodeJwt(both.tokens.access_token).aud, [other, service.authUrl]);
  const fewer = await oauth.refreshTokenGrantRequest(
    both.server,
    acting.client,
    acting.authentication,
    both.tokens.refresh_token ?? "",
    { ...insecure, additionalParameters: { resource: other } },
  );
  const { access_token } = (await fewer.json()) as { access_token: string };
  assert.deepEqual(decodeJwt(access_token).aud, [other]);

  const machine = ["urn:svc:uploads", service.authUrl];
  const form = machine.map((each) => ["resource", each]);
  const response = await postForm(service.authUrl, [["grant_type", "client_credentials"], ...form]);
  const granted = (await response.json()) as { access_token: string };
  assert.deepEqual(decodeJwt(granted.access_token).aud, machine);
  const alone = { grant_type: "client_credentials", resource: service.authUrl };
  const refused = await postForm(service.authUrl, alone);
  assert.equal(((await refused.json()) as { error: string }).error, "invalid_target");
});

it("a person of another organisation is asked to sign in", async () => {
  const browser = new TestBrowser();
  const globex = await addPerson(service.pool, { organisationId: "globex" });
  const theirs = await addActingClient(service.pool, { organisationId: "globex" });
  await runCodeFlow(service.authUrl, theirs, globex, { browser });
  const acting = await addActingClient(service.pool);
  const server = await discover(service.authUrl);
  const page = await browser.open(authorizationRequest(server, acting.client, challenge));
  assert.match(page.text, /<title>Sign in</);
});

it("another person can sign in in the same browser, which ends the first session", async () => {
  const browser = new TestBrowser();
  const [first, second] = [await addPerson(service.pool), await addPerson(service.pool)];
  const acting = await addActingClient(service.pool);
  const before = await runCodeFlow(service.authUrl, acting, first, { browser });
  const again = { prompt: "login" };
  const request = authorizationRequest(before.server, acting.client, challenge, again);
  const { url } = await signInAndAllow(browser, request, second);
  assert.ok(new URL(url).searchParams.has("code"));
  const { rows } = await service.pool.query("select from denylist.entries where value = $1", [
    decodeJwt(before.tokens.access_token).sid,
  ]);
  assert.equal(rows.length, 1);
});

it("a client can use the response modes of the metadata", async () => {
  const person = await addPerson(service.pool);
  const acting = await addActingClient(service.pool);
  const { server } = await runCodeFlow(service.authUrl, acting, person);
  assert.deepEqual(server.response_modes_supported, ["form_post", "fragment", "query"]);
  const answers: Record<string, RegExp> = {
    query: /^https:\/\/page\.example\/callback\?code=[\w-]+&state=/,
    fragment: /^https:\/\/page\.example\/callback#code=[\w-]+&state=/,
    form_post: /action="https:\/\/page\.example\/callback">\s+<input [^>]*name="code"/,
  };
  for (const [response_mode, expected] of Object.entries(answers)) {
    const request = authorizationRequest(server, acting.client, challenge, { response_mode });
    const { url, text, headers } = await signInAndAllow(new TestBrowser(), request, person);
    assert.match(text || url, expected, response_mode);
    if (text !== "") assert.equal(headers.get("cache-control"), "no-store");
  }
});
