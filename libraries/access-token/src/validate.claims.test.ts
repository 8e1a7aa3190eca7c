import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Attack, itRefuses } from "../test-support/attacks.ts";
import {
  audience,
  claims,
  forge,
  issuer,
  nowSeconds,
  signToken,
  validator,
} from "../test-support/tokens.ts";
import type { TokenRefusalReason } from "./token-refused-error.ts";

/** A row for each wrong value of a claim. `undefined` stands for a claim that is absent. */
function wrong(reason: TokenRefusalReason, claim: string, values: unknown[]): Attack[] {
  return values.map(
    (value): Attack => [
      `with ${claim} ${JSON.stringify(value) ?? "absent"}`,
      reason,
      () => signToken({ [claim]: value }),
    ],
  );
}

/** The same for numbers as JSON can write them and JavaScript cannot. */
function wrongText(reason: TokenRefusalReason, claim: keyof typeof claims, texts: string[]) {
  return texts.map(
    (text): Attack => [
      `with ${claim} written as ${text}`,
      reason,
      () => {
        const written = `${JSON.stringify(claim)}:${JSON.stringify(claims[claim])}`;
        return forge({ payload: JSON.stringify(claims).replace(written, `"${claim}":${text}`) });
      },
    ],
  );
}

const notTexts = [undefined, null, "", 0, 7, true, false, [], ["text"], {}, { a: 1 }];
const wrongTypes = notTexts.filter((value) => value !== undefined);
const notTimes = [undefined, null, "", "soon", String(nowSeconds), true, [], [nowSeconds], {}, 1.5];
const oddNumbers = ["1e400", "-1e400", "9007199254740992", "1767229200.5"];

describe("the issuer", () => {
  itRefuses([
    ...wrong("CLAIM_INVALID", "iss", notTexts),
    ...wrong("CLAIM_INVALID", "iss", [[issuer]]),
    ...wrong("ISSUER_MISMATCH", "iss", [
      `${issuer}/`,
      issuer.toUpperCase(),
      issuer.replace("https", "http"),
      `${issuer}:443`,
      `${issuer}.attacker.example`,
      `${issuer} `,
      ` ${issuer}`,
      `${issuer}\0`,
      issuer.slice(0, -1),
      issuer.replace("e", "\u0435"),
      `${issuer}/tenant`,
    ]),
  ]);
});

describe("the audience", () => {
  itRefuses([
    ...wrong("CLAIM_INVALID", "aud", [
      undefined,
      null,
      "",
      0,
      true,
      {},
      { 0: audience },
      [null],
      [""],
      [[audience]],
      [audience, ""],
      [audience, null],
      [audience, 1],
      [audience, [audience]],
    ]),
    ...wrong("AUDIENCE_MISMATCH", "aud", [
      [],
      "other",
      ["other"],
      ["Uploads"],
      ["uploads "],
      ["upload"],
      ["uploads/v1"],
      "uploads other",
      "uploads,other",
      ["uploads,other"],
      "*",
      ["*"],
      // An ID token of the same issuer: its audience is the client.
      [claims.client_id],
    ]),
  ]);
});

describe("the times", () => {
  itRefuses([
    ...wrong("CLAIM_INVALID", "exp", notTimes),
    ...wrong("CLAIM_INVALID", "nbf", notTimes),
    ...wrong("CLAIM_INVALID", "iat", notTimes),
    ...wrongText("CLAIM_INVALID", "exp", oddNumbers),
    ...wrongText("CLAIM_INVALID", "nbf", oddNumbers),
    ...wrongText("CLAIM_INVALID", "iat", oddNumbers),
    ...wrongText("TOKEN_MALFORMED", "exp", ["0x7fffffff", "01767229200", "+1", "NaN", "Infinity"]),
    ...wrong("TOKEN_EXPIRED", "exp", [nowSeconds, nowSeconds - 1, 0, -1, -Number.MAX_SAFE_INTEGER]),
    ...wrong("TOKEN_NOT_YET_VALID", "nbf", [nowSeconds + 1, Number.MAX_SAFE_INTEGER]),
    ...wrong("TOKEN_NOT_YET_VALID", "iat", [nowSeconds + 1, nowSeconds * 1000]),
    ...wrongText("TOKEN_EXPIRED", "exp", ["-0", "0e9"]),
  ]);
});

describe("required claims", () => {
  for (const claim of ["sub", "jti", "client_id", "scope"]) {
    describe(claim, () => itRefuses(wrong("CLAIM_INVALID", claim, notTexts)));
  }
  itRefuses([
    [
      "whose sub is a lone surrogate",
      "CLAIM_INVALID",
      () => forge({ payload: JSON.stringify({ ...claims, sub: "\ud800" }) }),
    ],
    [
      "with sub only inside __proto__",
      "CLAIM_INVALID",
      () =>
        forge({
          payload: JSON.stringify({ ...claims, sub: undefined }).replace(
            "{",
            '{"__proto__":{"sub":"urn:svc:user:1"},',
          ),
        }),
    ],
  ]);

  it("are not found on a polluted Object.prototype", async () => {
    const prototype = Object.prototype as { jti?: string };
    const token = await signToken({ jti: undefined });
    prototype.jti = "polluted";
    try {
      await assert.rejects(validator.validate(token), { reason: "CLAIM_INVALID" });
    } finally {
      delete prototype.jti;
    }
  });
});

describe("optional claims", () => {
  for (const claim of [
    "azp",
    "sid",
    "urn:svc:auth:organisation_id",
    "urn:svc:auth:application_id",
    "urn:svc:auth:authorisation_id",
  ]) {
    describe(claim, () => itRefuses(wrong("CLAIM_INVALID", claim, wrongTypes)));
  }
});

describe("authorization_details", () => {
  itRefuses(
    wrong("CLAIM_INVALID", "authorization_details", [
      null,
      "",
      "bucket",
      0,
      true,
      {},
      { type: "bucket" },
      [null],
      ["bucket"],
      [[]],
      [{}],
      [{ type: "" }],
      [{ type: 1 }],
      [{ type: null }],
      [{ type: "bucket" }, {}],
      [{ type: "bucket" }, null],
    ]),
  );
});

describe("act", () => {
  const chain = (length: number): object =>
    length === 1 ? { sub: "a" } : { sub: "a", act: chain(length - 1) };

  itRefuses([
    ...wrong("CLAIM_INVALID", "act", [
      null,
      "",
      "a",
      0,
      true,
      [],
      [{ sub: "a" }],
      {},
      { sub: "" },
      { sub: 1 },
      { sub: null },
      { sub: "a", act: null },
      { sub: "a", act: "b" },
      { sub: "a", act: {} },
      { sub: "a", act: { sub: "b", act: [] } },
    ]),
    ["with five actors", "CLAIM_INVALID", () => signToken({ act: chain(5) })],
    ["with thirty actors", "CLAIM_INVALID", () => signToken({ act: chain(30) })],
  ]);
});
