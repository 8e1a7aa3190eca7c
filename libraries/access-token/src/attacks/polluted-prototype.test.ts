/**
 * Elsewhere in the program someone has managed to write to `Object.prototype`. Then every object
 * seems to have the claim, and still no token may pass, or say more, for it.
 */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { refusalOf } from "../../testing/attacks.ts";
import { claims, forge, header, signingKey, validator } from "../../testing/tokens.ts";
import { staticKeySet } from "../key-set/key-set.ts";

const clean = new Set(Reflect.ownKeys(Object.prototype));

function pollute(members: object): void {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
  }
}

describe("a polluted Object.prototype", () => {
  afterEach(() => {
    for (const name of Reflect.ownKeys(Object.prototype)) {
      if (!clean.has(name)) delete (Object.prototype as Record<PropertyKey, unknown>)[name];
    }
  });

  for (const [name, value] of Object.entries(header)) {
    it(`does not lend a token its ${name}`, async () => {
      const token = forge({ header: { ...header, [name]: undefined } });
      pollute({ [name]: value });
      const reason = name === "alg" ? "ALGORITHM_REFUSED" : "TOKEN_MALFORMED";
      assert.equal((await refusalOf(token)).reason, reason);
    });
  }

  for (const [name, value] of Object.entries(claims)) {
    it(`does not lend a token its ${name}`, async () => {
      const token = forge({ payload: { ...claims, [name]: undefined } });
      pollute({ [name]: value });
      assert.equal((await refusalOf(token)).reason, "CLAIM_INVALID");
    });
  }

  const optional = {
    azp: "root",
    sid: "session-1",
    "urn:svc:auth:organisation_id": "organisation-1",
    "urn:svc:auth:application_id": "application-1",
    "urn:svc:auth:authorisation_id": "authorisation-1",
    authorization_details: [{ type: "bucket" }],
    act: { sub: "root" },
  };
  it("does not lend a token optional claims", async () => {
    const token = forge({ payload: { ...claims, jti: "without" } });
    pollute(optional);
    const { scopes: _, ...read } = await validator.validate(token);
    const own = Object.entries(read).filter(([, value]) => value !== undefined);
    assert.deepEqual(own.map(([name]) => name).sort(), [
      "actors",
      "audience",
      "clientId",
      "expiresAt",
      "issuedAt",
      "notBefore",
      "subject",
      "subjectKind",
      "tokenId",
    ]);
    assert.deepEqual(read.actors, []);
  });

  it("does not lend an actor its subject, or a detail its type", async () => {
    const actor = forge({ payload: { ...claims, act: {} } });
    const detail = forge({ payload: { ...claims, authorization_details: [{}] } });
    pollute({ sub: "root", type: "bucket" });
    assert.equal((await refusalOf(actor)).reason, "CLAIM_INVALID");
    assert.equal((await refusalOf(detail)).reason, "CLAIM_INVALID");
  });

  it("does not have a good token refused for parameters it does not hold", async () => {
    const token = forge({ payload: { ...claims, jti: "good" } });
    pollute({ crit: ["b64"], b64: false, jwk: signingKey.jwk, toJSON: "x" });
    assert.equal((await validator.validate(token)).subject, claims.sub);
  });

  it("does not lend a key set its keys, or a key its use", () => {
    const { kid, ...nameless } = signingKey.jwk;
    pollute({ keys: [signingKey.jwk], kid });
    assert.throws(() => staticKeySet({} as never), TypeError);
    assert.throws(() => staticKeySet({ keys: [nameless] }), TypeError);
    pollute({ use: "enc", key_ops: ["sign"], alg: "none" });
    const { use: _use, alg: _alg, ...plain } = signingKey.jwk;
    assert.notEqual(staticKeySet({ keys: [plain] }).get("key-1"), undefined);
  });
});
