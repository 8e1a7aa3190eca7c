import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { type Arbitrary, asyncProperty, assert as holds } from "fast-check";
import { audience, claims, forge, issuer, signToken, validator } from "../test-support/tokens.ts";
import { TokenRefusedError } from "./token-refused-error.ts";

async function isAccepted(token: string): Promise<boolean> {
  try {
    await validator.validate(token);
    return true;
  } catch (error) {
    assert(error instanceof TokenRefusedError, `not a refusal: ${error}`);
    return false;
  }
}

function always<T extends [unknown, ...unknown[]]>(
  arbitraries: { [K in keyof T]: Arbitrary<T[K]> },
  predicate: (...values: T) => Promise<boolean>,
  runs = 1000,
): Promise<void> {
  return holds(asyncProperty(...arbitraries, predicate), { numRuns: runs });
}

describe("a valid token", () => {
  it("with any one byte changed is refused", async () => {
    const token = await signToken({ sid: "session-1", scope: "a b" });
    assert(await isAccepted(token));
    const bytes = Buffer.from(token, "latin1");
    // Every place at least once, then places and bytes at random.
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8((changed.readUInt8(at) + 1) % 256, at);
      assert.equal(await isAccepted(changed.toString("latin1")), false, `changed at ${at}`);
    }
    const place = fc.nat({ max: bytes.length - 1 });
    await always([place, fc.integer({ min: 1, max: 255 })], async (at, difference) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8((changed.readUInt8(at) + difference) % 256, at);
      return !(await isAccepted(changed.toString("latin1")));
    });
  });

  it("with bytes taken out or put in is refused", async () => {
    const token = await signToken();
    const place = fc.nat({ max: token.length - 1 });
    await always([place, fc.integer({ min: 1, max: 9 }), fc.string()], async (at, count, text) => {
      const changed = token.slice(0, at) + text + token.slice(at + count);
      return changed === token || !(await isAccepted(changed));
    });
  });
});

describe("anything at all", () => {
  it("is answered with a refusal and no other error", async () => {
    await always([fc.anything()], async (value) => !(await isAccepted(value as string)));
    await always([fc.string({ unit: "binary" })], async (text) => !(await isAccepted(text)));
  });

  it("in a signed payload is answered with a token or a refusal", async () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    await always([fc.oneof(fc.json(), bytes)], async (payload) => {
      return !(await isAccepted(forge({ payload })));
    });
  });
});

describe("claims of any type", () => {
  const isText = (value: unknown) =>
    typeof value === "string" && value !== "" && value.isWellFormed();
  const isAbsentOrText = (value: unknown) => value === undefined || isText(value);
  const now = claims.nbf;

  /** The rules again, in few words: when a claim has an acceptable value. */
  const isGood: Record<string, (value: unknown) => boolean> = {
    iss: (value) => value === issuer,
    aud: (value) =>
      value === audience ||
      (Array.isArray(value) && value.every(isText) && value.includes(audience)),
    exp: (value) => Number.isSafeInteger(value) && (value as number) > now,
    nbf: (value) => Number.isSafeInteger(value) && (value as number) <= now,
    iat: (value) => Number.isSafeInteger(value) && (value as number) <= now,
    sub: isText,
    jti: isText,
    client_id: isText,
    scope: isText,
    azp: isAbsentOrText,
    sid: isAbsentOrText,
    "urn:svc:auth:organisation_id": isAbsentOrText,
  };

  it("are accepted exactly when the rules say so", async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(undefined, issuer, audience, [audience], "", now, now + 1, now - 1),
      fc.array(fc.oneof(fc.string(), fc.constant(audience)), { maxLength: 3 }),
      fc.string({ unit: "binary" }),
    );
    const name = fc.constantFrom(...Object.keys(isGood));
    await always(
      [name, value],
      async (claim, given) => {
        const payload = JSON.stringify({ ...claims, [claim]: given });
        return (await isAccepted(forge({ payload }))) === isGood[claim]?.(given);
      },
      3000,
    );
  });
});
