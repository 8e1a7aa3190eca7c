/**
 * The rules for claims, written a second time in few words and held against the validator for
 * random claims. Each rule gives the reason with which a wrong value may be refused.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { refusalOf } from "../../testing/attacks.ts";
import { always, seed } from "../../testing/properties.ts";
import { audience, claims, forge, issuer, nowSeconds, validator } from "../../testing/tokens.ts";
import type { AccessToken } from "../access-token.ts";
import { clockToleranceSecondsDefault } from "../limits.ts";
import type { TokenRefusalReason } from "../token-refused-error.ts";

const latest = nowSeconds + clockToleranceSecondsDefault;

type Rule = (value: unknown) => TokenRefusalReason | undefined;

const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && !/\p{Cs}/u.test(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const ownOf = (object: object, name: string): unknown =>
  Object.getOwnPropertyDescriptor(object, name)?.value;

const requiredText: Rule = (value) => (isText(value) ? undefined : "CLAIM_INVALID");
const optionalText: Rule = (value) => (value === undefined ? undefined : requiredText(value));
const time =
  (holds: (value: number) => boolean, reason: TokenRefusalReason): Rule =>
  (value) => {
    if (!Number.isInteger(value) || Math.abs(value as number) > 2 ** 53 - 1) return "CLAIM_INVALID";
    return holds(value as number) ? undefined : reason;
  };
const actorsOf = (act: unknown): unknown[] =>
  isObject(act)
    ? [ownOf(act, "sub"), ...(Object.hasOwn(act, "act") ? actorsOf(ownOf(act, "act")) : [])]
    : [act, {}];

const rules: Record<string, Rule> = {
  iss: (value) => (value !== issuer && isText(value) ? "ISSUER_MISMATCH" : requiredText(value)),
  aud: (value) => {
    const list = Array.isArray(value) ? value : [value];
    if (!list.every(isText)) return "CLAIM_INVALID";
    return list.some((one) => one === audience) ? undefined : "AUDIENCE_MISMATCH";
  },
  exp: time((value) => value > nowSeconds, "TOKEN_EXPIRED"),
  nbf: time((value) => value <= latest, "TOKEN_NOT_YET_VALID"),
  iat: time((value) => value <= latest, "TOKEN_NOT_YET_VALID"),
  sub: requiredText,
  jti: requiredText,
  client_id: requiredText,
  scope: requiredText,
  azp: optionalText,
  sid: optionalText,
  "urn:svc:auth:organisation_id": optionalText,
  "urn:svc:auth:application_id": optionalText,
  "urn:svc:auth:authorisation_id": optionalText,
  authorization_details: (value) => {
    if (value === undefined) return undefined;
    const isDetail = (detail: unknown) => isObject(detail) && isText(ownOf(detail, "type"));
    return Array.isArray(value) && value.every(isDetail) ? undefined : "CLAIM_INVALID";
  },
  act: (value) => {
    if (value === undefined) return undefined;
    const actors = actorsOf(value);
    return actors.length <= 4 && actors.every(isText) ? undefined : "CLAIM_INVALID";
  },
};

type GoodClaims = typeof claims & Record<string, unknown>;

/** What an accepted token must say. */
function expected(good: GoodClaims) {
  const scopes = [...new Set(good.scope.split(" "))].filter((scope) => scope.length > 0);
  return {
    subject: good.sub,
    subjectKind: scopes.includes("service_account") ? "service_account" : "user",
    organisationId: good["urn:svc:auth:organisation_id"],
    applicationId: good["urn:svc:auth:application_id"],
    authorisationId: good["urn:svc:auth:authorisation_id"],
    clientId: good.client_id,
    authorizedParty: good.azp,
    scopes,
    audience: [good.aud].flat(),
    issuedAt: good.iat,
    notBefore: good.nbf,
    expiresAt: good.exp,
    tokenId: good.jti,
    authorizationDetails: good.authorization_details,
    actors: good.act === undefined ? [] : actorsOf(good.act).map((subject) => ({ subject })),
    sessionId: good.sid,
  };
}

function isFrozenDeep(value: unknown, path: string): void {
  if (typeof value !== "object" || value === null) return;
  assert(Object.isFrozen(value), `${path} is not frozen`);
  for (const name of Reflect.ownKeys(value)) {
    const { value: inner } = Object.getOwnPropertyDescriptor(value, name)!;
    assert.notEqual(typeof inner, "function", `${path} has a function`);
    isFrozenDeep(inner, `${path}.${String(name)}`);
  }
}

async function agrees(changes: Record<string, unknown>): Promise<void> {
  const payload = JSON.stringify({ ...claims, ...changes });
  const token = forge({ payload });
  const written = JSON.parse(payload) as GoodClaims;
  const faults = Object.entries(rules).flatMap(([name, rule]) => rule(ownOf(written, name)) ?? []);
  if (token.length > 8192) faults.splice(0, faults.length, "TOKEN_TOO_LARGE");
  if (faults.length > 0) {
    const { reason, detail } = await refusalOf(token);
    assert(faults.includes(reason), `${reason} (${detail}), expected one of ${faults}`);
    return;
  }
  const accepted: AccessToken = await validator.validate(token);
  assert.deepEqual({ ...accepted, scopes: [...accepted.scopes] }, expected(written));
  isFrozenDeep(accepted, "token");
}

const anyJson = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 1 }));
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ud800", "\u00e9"),
);
const nearTexts = fc.constantFrom(
  issuer,
  audience,
  `${issuer}/`,
  "",
  " ",
  "service_account",
  "a  b",
);
const nearTimes = fc.oneof(
  fc.integer({ min: nowSeconds - 2, max: nowSeconds + 2 }),
  fc.integer({ min: latest - 2, max: latest + 2 }),
  fc.constantFrom(0, -0, 1.5, 2 ** 53, 2 ** 53 - 1, 1e308, String(nowSeconds + 9)),
  fc.double(),
);
const lists = fc.array(fc.oneof(anyText, nearTexts, anyJson), { maxLength: 3 });
const details = fc.array(
  fc.oneof(fc.record({ type: fc.oneof(anyText, anyJson), more: anyJson }), anyJson),
  { maxLength: 3 },
);
const { act } = fc.letrec<{ act: unknown }>((tie) => ({
  act: fc.oneof(
    { depthSize: "medium" },
    { weight: 1, arbitrary: anyJson },
    { weight: 2, arbitrary: fc.record({ sub: anyText }) },
    { weight: 4, arbitrary: fc.record({ sub: fc.string({ minLength: 1 }), act: tie("act") }) },
  ),
}));

const near = fc.oneof(anyText, nearTexts, nearTimes, lists, details, act);
const value = fc.oneof(near, near, anyJson, fc.constant(undefined));
const name = fc.constantFrom(...Object.keys(rules));

describe(`claims of any type (seed ${seed})`, () => {
  it("one at a time are refused for their own reason, or read correctly", async () => {
    await always([name, value], (claim, given) => agrees({ [claim]: given }), 5000);
  });

  it("several at a time are refused for one of the reasons", async () => {
    await always([fc.dictionary(name, value, { maxKeys: 5 })], agrees, 3000);
  });

  it("that are unknown have no effect", async () => {
    const unknown = fc
      .oneof(fc.string(), fc.string({ unit: "binary" }))
      .filter((text) => !(text in rules));
    await always([fc.dictionary(unknown, anyJson, { maxKeys: 5 })], agrees);
  });

  it("are scopes split on single spaces, whatever other characters are in them", async () => {
    const piece = fc.constantFrom(
      " ",
      "  ",
      "\t",
      "\n",
      "\u00a0",
      ",",
      "a",
      "b",
      "service_account",
    );
    const scope = fc.array(piece, { minLength: 1 }).map((pieces) => pieces.join(""));
    await always([scope], (text) => agrees({ scope: text }));
  });

  it("are authorisation details that keep all members, and are frozen", async () => {
    const detail = fc.dictionary(fc.string(), anyJson).map((more) => ({ ...more, type: "bucket" }));
    await always([fc.array(detail, { maxLength: 3 })], (given) =>
      agrees({ authorization_details: given }),
    );
  });

  it("are actors in their order, at most four", async () => {
    await always([act], (given) => agrees({ act: given }), 2000);
  });
});
