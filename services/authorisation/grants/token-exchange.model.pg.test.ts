/** Random chains of exchanges, compared with a small model: no token allows more than before. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import fc from "fast-check";
import { decodeJwt, type JWTPayload } from "jose";
import type { Details } from "../model/authorization-details.ts";
import { details, places } from "../testing/details-model.ts";
import { exchange } from "../testing/exchange-request.ts";
import { addOtherClient, type OtherClient } from "../testing/other-clients.ts";
import { startTestService, type TestService, testAudiences } from "../testing/test-service.ts";
import { userToken } from "../testing/user-token.ts";

const runs = { numRuns: Number(process.env.EXCHANGE_RUNS ?? 30) };
const clientScopes = [
  ["a", "b", "c"],
  ["b", "c"],
  ["a", "c", "d"],
];
let service: TestService;
let clients: OtherClient[];
before(async () => {
  service = await startTestService();
  clients = await Promise.all(
    clientScopes.map((scopes) => addOtherClient(service.pool, { scopes })),
  );
});
after(() => service[Symbol.asyncDispose]());

interface Step {
  /** Which client asks. */
  by: number;
  scopes: string[] | undefined;
  details: Details;
  audience: string | undefined;
}

const someScopes = fc.subarray(["a", "b", "c", "d", "service_account"], { minLength: 1 });
const often = { freq: 3, nil: undefined };
const step: fc.Arbitrary<Step> = fc.record({
  by: fc.nat({ max: clientScopes.length - 1 }),
  scopes: fc.option(fc.oneof(fc.constant<string[]>(["c"]), someScopes), often),
  details: fc.option(details, often),
  audience: fc.option(fc.constantFrom(...testAudiences), { freq: 2, nil: undefined }),
});
const chain = fc.array(step, { minLength: 1, maxLength: 6 });
const first = fc.record({
  scope: someScopes.map((scopes) => [...scopes, "openid"].join(" ")),
  authorization_details: details,
  aud: fc.subarray(testAudiences, { minLength: 1 }),
  sid: fc.option(fc.constant("session 1"), { nil: undefined }),
});

/** All faults of a request, by their error codes. */
function faultsOf(source: JWTPayload, { by, scopes, details: asked, audience }: Step): string[] {
  const held = String(source.scope).split(" ");
  const common = (clientScopes[by] ?? []).filter((scope) => held.includes(scope));
  const available = held.includes("service_account") ? [...common, "service_account"] : common;
  const has = source.authorization_details as Details;
  return [
    ...(actorsOf(source).length >= 4 ? ["invalid_request"] : []),
    ...(available.length === 0 || scopes?.some((scope) => !available.includes(scope))
      ? ["invalid_scope"]
      : []),
    ...(asked && !places(asked).isSubsetOf(places(has)) ? ["invalid_authorization_details"] : []),
    ...(audience !== undefined && !source.aud?.includes(audience) ? ["invalid_target"] : []),
  ];
}

function assertLesser(token: JWTPayload, source: JWTPayload, { by }: Step): void {
  for (const claim of ["iss", "sub", "sid", "urn:svc:auth:organisation_id"]) {
    assert.equal(token[claim], source[claim], claim);
  }
  const scopesOf = ({ scope }: JWTPayload) => new Set(String(scope).split(" "));
  const [scopes, held] = [scopesOf(token), scopesOf(source)];
  assert.ok(scopes.isSubsetOf(held));
  assert.equal(scopes.has("service_account"), held.has("service_account"));
  const [now, before] = [token, source].map((each) => each.authorization_details as Details);
  assert.ok(places(now).isSubsetOf(places(before)));
  assert.ok(before === undefined || now !== undefined);
  assert.ok(new Set(token.aud).isSubsetOf(new Set(source.aud)));
  assert.ok(Number(token.exp) <= Number(source.exp));
  assert.equal(token.client_id, clients[by]?.clientId);
  const delegator = `urn:svc:serviceaccount:${source.client_id}`;
  assert.deepEqual(actorsOf(token), [delegator, ...actorsOf(source)]);
}

function actorsOf(token: object): string[] {
  const { act } = token as { act?: { sub: string } };
  return act ? [act.sub, ...actorsOf(act)] : [];
}

it("a token never does more, elsewhere or longer than the one it was exchanged for", async () => {
  let exchanged = 0;
  await fc.assert(
    fc.asyncProperty(first, chain, async (claims, steps) => {
      let subjectToken = await userToken(service, claims);
      for (const each of steps) {
        const source = decodeJwt(subjectToken);
        const client = clients[each.by] ?? assert.fail();
        const answer = await exchange(service.authUrl, client, subjectToken, {
          ...(each.scopes && { scope: each.scopes.join(" ") }),
          ...(each.audience && { audience: each.audience }),
          ...(each.details && { authorization_details: JSON.stringify(each.details) }),
        });
        const faults = faultsOf(source, each);
        if (answer.status === 200) {
          assert.deepEqual(faults, []);
          const token = decodeJwt(answer.access_token);
          assertLesser(token, source, each);
          subjectToken = answer.access_token;
          exchanged++;
        } else {
          assert.ok(faults.includes(answer.error ?? ""), `${answer.error} of ${faults}`);
        }
      }
    }),
    runs,
  );
  assert.ok(exchanged > runs.numRuns / 4, `only ${exchanged} exchanges`);
});
