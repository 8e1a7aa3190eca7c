import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itRefuses, withClaim, withClaimWritten } from "../../testing/attacks.ts";
import { claims, forge, makeValidator, nowSeconds, validator } from "../../testing/tokens.ts";

const names = ["exp", "nbf", "iat"] as const;
const later = nowSeconds + 3600;

const notTimes: unknown[] = [
  undefined,
  null,
  true,
  false,
  {},
  [],
  [later],
  [[later]],
  [later, later],
  "",
  " ",
  "soon",
  "now",
  "never",
  "0",
  "NaN",
  "Infinity",
  "1e9",
  "9999999999",
  "0x7fffffff",
  `${later}`,
  ` ${later}`,
  `${later}s`,
  "2999-01-01T00:00:00Z",
  "Thu, 01 Jan 2099 00:00:00 GMT",
  { valueOf: later },
  { toString: later },
  { 0: later },
  { $date: later },
  { seconds: later },
];

/** JSON numbers that are not integers, or that lose digits when parsed. */
const odd = [
  "0.5",
  "1767229200.5",
  "1767225599.9999",
  "1e-1",
  "-0.5",
  "1767229200.0000005",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740992",
  "9223372036854775807",
  "18446744073709551616",
  "1e16",
  "1e308",
  "1e400",
  "-1e400",
  "1E+999",
  "9".repeat(5000),
  `1${"0".repeat(400)}`,
];

const notNumbers = [
  "0x7fffffff",
  "01767229200",
  "+1767229200",
  "NaN",
  "Infinity",
  "-Infinity",
  "1767229200n",
  "1_767_229_200",
  "1.",
  ".5",
  "1e",
  "1e+",
  "--1",
  "- 1",
  "1767229200,0",
  "\u0661\u0662",
  "new Date()",
];

describe("a time that is no integer", () => {
  for (const name of names) {
    describe(name, () => {
      itRefuses([
        ...withClaim("CLAIM_INVALID", name, notTimes),
        ...withClaimWritten("CLAIM_INVALID", name, odd),
        ...withClaimWritten("TOKEN_MALFORMED", name, notNumbers),
      ]);
    });
  }
});

describe("a token that has expired", () => {
  itRefuses([
    ...withClaim("TOKEN_EXPIRED", "exp", [
      nowSeconds,
      nowSeconds - 1,
      nowSeconds - 3600,
      1,
      0,
      -1,
      -nowSeconds,
      // A signed 32-bit clock reads these as future times.
      nowSeconds - 2 ** 32,
      -(2 ** 31),
      -(2 ** 32),
      Number.MIN_SAFE_INTEGER,
    ]),
    ...withClaimWritten("TOKEN_EXPIRED", "exp", [
      "-0",
      "0e9",
      "0.0",
      "0e999999",
      "1e3",
      "1E3",
      "1e-400",
      `0.${"0".repeat(400)}1`,
      `${nowSeconds}.0`,
      `${nowSeconds}e0`,
      `${nowSeconds}00e-2`,
      "17672256e2",
      // So near to an integer that a number holds no difference.
      `${nowSeconds}.00000001`,
    ]),
  ]);
});

describe("a token from the time to come", () => {
  const exact = makeValidator({ clockToleranceSeconds: 0 });
  for (const name of ["nbf", "iat"]) {
    itRefuses(
      [
        ...withClaim("TOKEN_NOT_YET_VALID", name, [
          nowSeconds + 1,
          later,
          2 ** 31,
          2 ** 32 + nowSeconds,
          Number.MAX_SAFE_INTEGER,
          // Milliseconds instead of seconds.
          nowSeconds * 1000,
        ]),
        ...withClaimWritten("TOKEN_NOT_YET_VALID", name, [
          "1767225601.0",
          "1e15",
          "17672256010e-1",
        ]),
      ],
      exact,
    );
    itRefuses(withClaim("TOKEN_NOT_YET_VALID", name, [nowSeconds + 6]));
  }
});

describe("a time written in another way", () => {
  it("is the same time", async () => {
    const written = (exp: string) =>
      forge({ payload: JSON.stringify({ ...claims, exp: 1 }).replace('"exp":1', `"exp":${exp}`) });
    for (const exp of ["1767229200.0", "17672292e2", "1.7672292E+9", "1767229200000e-3"]) {
      assert.equal((await validator.validate(written(exp))).expiresAt, 1_767_229_200, exp);
    }
  });
});
