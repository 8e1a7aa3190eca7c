import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { refusalOf } from "../../testing/attacks.ts";
import { always, seed } from "../../testing/properties.ts";
import { claims, encode, forge, header, validator } from "../../testing/tokens.ts";
import { readBearerToken } from "../bearer-token.ts";
import { refusalMessages, TokenRefusedError } from "../token-refused-error.ts";

async function isRefused(token: unknown): Promise<void> {
  await refusalOf(token);
}

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.base64String(),
  fc.webUrl(),
);

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
});

const part = fc.oneof(
  text,
  fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array).toString("base64url")),
  fc.jsonValue().map((value) => encode(JSON.stringify(value))),
  fc.constantFrom("", encode(header), encode(claims), encode({ ...header, alg: "none" })),
);

describe(`anything at all (seed ${seed})`, () => {
  it("is answered with a refusal and no other error", async () => {
    await always([anything], isRefused, 3000);
    await always([text], isRefused, 3000);
  });

  it("in three parts is answered with a refusal and no other error", async () => {
    const parts = fc.array(part, { minLength: 1, maxLength: 5 });
    await always([parts], (some) => isRefused(some.join(".")), 2000);
    await always([part, part, part], (...three) => isRefused(three.join(".")), 3000);
  });

  it("in a signed header is answered with a refusal and no other error", async () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    await always([fc.oneof(fc.json(), bytes, text)], (value) =>
      isRefused(forge({ header: value })),
    );
  });

  it("in a signed payload is answered with a refusal and no other error", async () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    await always([fc.oneof(fc.json(), bytes, text)], (value) =>
      isRefused(forge({ payload: value })),
    );
  });

  it("as one parameter of the header is accepted exactly if it is the right one", async () => {
    const names = fc.oneof(fc.constantFrom("alg", "typ", "kid", "crit"), fc.string());
    const values = fc.oneof(fc.jsonValue(), fc.constantFrom("RS256", "JWT", "key-1"));
    await always([names, values], async (name, value) => {
      const changed = JSON.stringify(
        Object.fromEntries([...Object.entries(header), [name, value]]),
      );
      const right: Record<string, unknown> = { __proto__: null, ...header };
      const isGood = name === "crit" ? false : !(name in right) || right[name] === value;
      const token = forge({ header: changed });
      if (isGood) await validator.validate(token);
      else await refusalOf(token);
    });
  });
});

describe(`any Authorization header (seed ${seed})`, () => {
  it("results in a token or a refusal that does not quote it", async () => {
    const scheme = fc.constantFrom("Bearer ", "bearer ", "Bearer", "Basic ", "");
    await always(
      [
        fc.oneof(
          anything,
          fc.tuple(scheme, text).map((both) => both.join("")),
        ),
      ],
      async (value) => {
        try {
          assert.match(readBearerToken(value as string), /^[A-Za-z0-9\-._~+/]+=*$/);
        } catch (error) {
          assert(error instanceof TokenRefusedError, `not a refusal: ${error}`);
          assert.equal(error.message, refusalMessages[error.reason]);
          assert.match(error.detail, /^(?:no|the) [a-zA-Z ]+$/);
        }
      },
    );
  });
});
