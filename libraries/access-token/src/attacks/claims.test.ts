import { describe } from "node:test";
import { type Attack, itRefuses, withClaim, withClaimWritten } from "../../testing/attacks.ts";
import { claims, forge, header } from "../../testing/tokens.ts";

const texts = ["sub", "jti", "client_id", "scope"];
const optionalTexts = [
  "azp",
  "sid",
  "urn:svc:auth:organisation_id",
  "urn:svc:auth:application_id",
  "urn:svc:auth:authorisation_id",
];

const notTexts: unknown[] = [
  null,
  "",
  0,
  7,
  -1,
  1.5,
  true,
  false,
  [],
  [[]],
  ["text"],
  ["a", "b"],
  {},
  { a: 1 },
  { toString: "text" },
  { 0: "t", length: 1 },
  { $ne: null },
];
/** No UTF-8 has these: two subjects that differ could become one when they are stored. */
const loneSurrogates = ['"\\ud800"', '"\\udfff"', '"a\\ud83d"', '"\\udd11\\ud83d"'];

describe("a text of a wrong type", () => {
  for (const name of texts) {
    describe(name, () => itRefuses(withClaim("CLAIM_INVALID", name, [undefined])));
  }
  for (const name of [...texts, ...optionalTexts]) {
    describe(name, () => {
      itRefuses([
        ...withClaim("CLAIM_INVALID", name, notTexts),
        ...withClaimWritten("CLAIM_INVALID", name, loneSurrogates),
      ]);
    });
  }
});

describe("a required claim that is somewhere else", () => {
  for (const [name, value] of Object.entries(claims)) {
    const without = (more: object): object => ({ ...claims, [name]: undefined, ...more });
    const row = (how: string, payload: object | string): Attack => {
      return [`with ${name} ${how}`, "CLAIM_INVALID", () => forge({ payload })];
    };
    itRefuses([
      row("in capitals", without({ [name.toUpperCase()]: value })),
      row("with a space", without({ [`${name} `]: value })),
      row("with a NUL", without({ [`${name}\0`]: value })),
      row("with a mark on it", without({ [`${name}\u0301`]: value })),
      row("inside claims", without({ claims: { [name]: value } })),
      row("inside the empty name", without({ "": { [name]: value } })),
      row(
        "inside __proto__",
        JSON.stringify(without({})).replace(
          "{",
          () => `{"__proto__":${JSON.stringify({ [name]: value })},`,
        ),
      ),
      [
        `with ${name} in the header`,
        "CLAIM_INVALID",
        () => forge({ header: { ...header, [name]: value }, payload: without({}) }),
      ],
    ]);
  }
});

describe("authorization_details of a wrong type", () => {
  itRefuses([
    ...withClaim("CLAIM_INVALID", "authorization_details", [
      null,
      "",
      "bucket",
      "[]",
      '[{"type":"bucket"}]',
      0,
      true,
      false,
      {},
      { type: "bucket" },
      { 0: { type: "bucket" }, length: 1 },
      [null],
      [0],
      [true],
      ["bucket"],
      [[]],
      [{}],
      [[{ type: "bucket" }]],
      [{ type: "" }],
      [{ type: 1 }],
      [{ type: null }],
      [{ type: {} }],
      [{ type: ["bucket"] }],
      [{ Type: "bucket" }],
      [{ "type ": "bucket" }],
      // One wrong entry makes the claim invalid: the limit that it meant is unknown.
      [{ type: "bucket" }, {}],
      [{ type: "bucket" }, null],
      [{}, { type: "bucket" }],
      [{ type: "bucket" }, [{ type: "bucket" }]],
    ]),
    ...withClaimWritten("CLAIM_INVALID", "authorization_details", [
      '[{"type":"\\ud800"}]',
      '[{"__proto__":{"type":"bucket"}}]',
    ]),
  ]);
});

describe("act of a wrong type", () => {
  const chain = (length: number): object =>
    length === 1 ? { sub: "a" } : { sub: "a", act: chain(length - 1) };

  itRefuses([
    ...withClaim("CLAIM_INVALID", "act", [
      null,
      "",
      "a",
      0,
      true,
      false,
      [],
      ["a"],
      [{ sub: "a" }],
      {},
      { act: { sub: "a" } },
      { sub: "" },
      { sub: 1 },
      { sub: null },
      { sub: ["a"] },
      { sub: {} },
      { Sub: "a" },
      { client_id: "a" },
      { iss: "a" },
      { sub: "a", act: null },
      { sub: "a", act: "b" },
      { sub: "a", act: {} },
      { sub: "a", act: [] },
      { sub: "a", act: [{ sub: "b" }] },
      { sub: "a", act: { sub: "b", act: [] } },
      { sub: "a", act: { sub: "b", act: { sub: "" } } },
      // RFC 8693 chains, longer than anyone delegates.
      chain(5),
      chain(6),
      chain(30),
    ]),
    ...withClaimWritten("CLAIM_INVALID", "act", [
      '{"sub":"\\ud800"}',
      '{"__proto__":{"sub":"a"}}',
      '{"sub":"a","act":{"__proto__":{"sub":"b"}}}',
    ]),
    ["with 40 actors", "TOKEN_MALFORMED", () => forge({ payload: { ...claims, act: chain(40) } })],
  ]);
});
