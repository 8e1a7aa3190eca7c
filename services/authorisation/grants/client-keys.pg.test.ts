/** Clients that authenticate with a key of their own (private_key_jwt). */
import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import { decodeJwt, type JWTPayload, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { addClient } from "../store/clients.ts";
import { insecure } from "../testing/code-flow.ts";
import { actsForItself, startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
let server: oauth.AuthorizationServer;
before(async () => {
  service = await startTestService();
  const issuer = new URL(service.authUrl);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  server = await oauth.processDiscoveryResponse(issuer, discovered);
});
after(() => service[Symbol.asyncDispose]());

const pairs = {
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: generateKeyPairSync("ed25519"),
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
};

async function addKeyed(publicKey: KeyObject): Promise<string> {
  const clientId = randomUUID();
  const names = { clientId, applicationId: "backup", organisationId: "acme", name: "" };
  const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }).toString();
  const client = { ...actsForItself, ...names, scopes: ["upl:bucket:read"], publicKeyPem };
  await addClient(service.pool, client, undefined);
  return clientId;
}

async function ask(client_assertion: string) {
  const response = await fetch(`${service.authUrl}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion,
    }),
  });
  return { ...((await response.json()) as Answer), status: response.status };
}

interface Answer {
  error?: string;
  access_token?: string;
}

function sign(clientId: string, changes: JWTPayload = {}, alg: keyof typeof pairs = "ES256") {
  const exp = Math.floor(Date.now() / 1000) + 60;
  const claims = { iss: clientId, sub: clientId, aud: service.authUrl, jti: randomUUID(), exp };
  return new SignJWT({ ...claims, ...changes })
    .setProtectedHeader({ alg })
    .sign(pairs[alg].privateKey);
}

for (const [alg, { publicKey }] of Object.entries(pairs)) {
  it(`get tokens for themselves with a key for ${alg}`, async () => {
    const clientId = await addKeyed(publicKey);
    const { access_token = "" } = await ask(await sign(clientId, {}, alg as "ES256"));
    const { sub, client_id, azp, scope } = decodeJwt(access_token);
    const id = [`urn:svc:serviceaccount:${clientId}`, clientId, clientId];
    assert.deepEqual([sub, client_id, azp], id);
    assert.equal(scope, "upl:bucket:read service_account");
  });
}

it("are what oauth4webapi calls private_key_jwt", async () => {
  const client_id = await addKeyed(pairs.EdDSA.publicKey);
  const jwk = pairs.EdDSA.privateKey.export({ format: "jwk" });
  const key = await crypto.subtle.importKey("jwk", { ...jwk }, "Ed25519", false, ["sign"]);
  const client = { client_id };
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    oauth.PrivateKeyJwt(key, {
      [oauth.modifyAssertion]: (header) => {
        header.alg = "EdDSA";
      },
    }),
    {},
    insecure,
  );
  const tokens = await oauth.processClientCredentialsResponse(server, client, response);
  assert.equal(decodeJwt(tokens.access_token).client_id, client_id);
});

it("are refused with an assertion that is used, too long, foreign or for another", async () => {
  const clientId = await addKeyed(pairs.ES256.publicKey);
  const good = await sign(clientId);
  assert.equal((await ask(good)).status, 200);
  const now = Math.floor(Date.now() / 1000);
  const wrong: Record<string, string> = {
    used: good,
    "too long": await sign(clientId, { exp: now + 3600 }),
    expired: await sign(clientId, { exp: now - 60 }),
    "for another issuer": await sign(clientId, { aud: "https://login.example" }),
    "of another client": await sign(clientId, { iss: randomUUID() }),
    "by another key": await sign(clientId, {}, "EdDSA"),
  };
  for (const [what, assertion] of Object.entries(wrong)) {
    const { status, error } = await ask(assertion);
    assert.deepEqual([status, error], [401, "invalid_client"], what);
  }
});
