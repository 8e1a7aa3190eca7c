/** Requests for tokens at once share statements: store/batches.ts. Each gets its own answer. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import { decodeJwt } from "jose";
import { disable } from "../store/disabling.ts";
import { addOtherClient, type OtherClient } from "../testing/other-clients.ts";
import { startTestService, type TestService, testAudiences } from "../testing/test-service.ts";
import { basic, postForm } from "../testing/token-request.ts";

let service: TestService;
let clients: OtherClient[];
before(async () => {
  service = await startTestService();
  const add = (organisationId: string) => addOtherClient(service.pool, { organisationId });
  clients = await Promise.all(["acme", "other", "third"].map(add));
});
after(() => service[Symbol.asyncDispose]());

const form = { grant_type: "client_credentials" };

async function ask(authorization: string, parameters: Record<string, string> = {}) {
  const response = await postForm(service.authUrl, { ...form, ...parameters }, { authorization });
  const { access_token: token, error } = (await response.json()) as Record<string, string>;
  return { status: response.status, error, claims: token === undefined ? {} : decodeJwt(token) };
}

it("each token is recorded once, with its own claims", async () => {
  const asked = Array.from({ length: 90 }, async (_, index) => {
    const client = clients[index % clients.length] as OtherClient;
    const details = [{ type: "bucket", actions: ["read"], locations: [`/${index}/"ä\\`] }];
    const { claims } = await ask(client.authorization, {
      resource: testAudiences[index % testAudiences.length] ?? "",
      ...(index % 3 > 0 && { authorization_details: JSON.stringify(details) }),
    });
    assert.equal(claims.client_id, client.clientId);
    return claims;
  });
  for (const claims of await Promise.all(asked)) {
    const { rows } = await service.pool.query(
      `select client_id, organisation_id as "urn:svc:auth:organisation_id", subject as sub,
         array[audience] as aud, array_to_string(scopes, ' ') as scope,
         authorization_details, token_id as jti, address, sid, grant_id
       from auth.authorisations where authorisation_id = $1`,
      [claims["urn:svc:auth:authorisation_id"]],
    );
    const { iss, iat, nbf, exp, azp, ...rest } = claims;
    const { "urn:svc:auth:authorisation_id": _, "urn:svc:auth:application_id": __, ...own } = rest;
    const recorded = { authorization_details: null, ...own };
    const unset = { address: "127.0.0.1", sid: null, grant_id: null };
    assert.deepEqual(rows, [{ ...recorded, ...unset }]);
  }
});

it("a refusal is for one caller only, and others get their tokens", async () => {
  const disabled = await addOtherClient(service.pool, { organisationId: "acme" });
  await disable(service.pool, "client", disabled.clientId);
  const round = async () => {
    const answers = await Promise.all([
      ...clients.map(({ authorization }) => ask(authorization)),
      ask(disabled.authorization),
      ask(basic(randomUUID(), "a guess")),
      ask(basic(clients[0]?.clientId ?? "", "a guess")),
    ]);
    return answers.map(({ status }) => status);
  };
  for (const statuses of await Promise.all(Array.from({ length: 10 }, round))) {
    assert.deepEqual(statuses, [200, 200, 200, 401, 401, 401]);
  }
});
