import { describe, it } from "node:test";
import { type Attack, itRefuses, withClaim, withClaimWritten } from "../../testing/attacks.ts";
import { audience, claims, forge, issuer, makeValidator } from "../../testing/tokens.ts";

describe("an audience of a wrong type", () => {
  itRefuses([
    ...withClaim("CLAIM_INVALID", "aud", [
      undefined,
      null,
      "",
      0,
      1,
      true,
      false,
      {},
      { 0: audience },
      { uploads: true },
      { 0: audience, length: 1 },
      { includes: true },
      { toString: audience },
      { $in: [audience] },
      // One wrong element makes the claim invalid, even if the right one is present.
      [null],
      [0],
      [true],
      [{}],
      [[]],
      [""],
      [[audience]],
      [[[audience]]],
      [{ 0: audience }],
      [audience, ""],
      ["", audience],
      [audience, null],
      [audience, 1],
      [audience, [audience]],
      [audience, {}],
      [true, audience],
    ]),
    ...withClaimWritten("CLAIM_INVALID", "aud", [
      '"\\ud800"',
      '["\\udc00"]',
      `["${audience}","\\ud800"]`,
      `["${audience}\\ud800"]`,
    ]),
  ]);
});

describe("an audience that is not ours", () => {
  const near = [
    "other",
    "Uploads",
    "UPLOADS",
    "upload",
    "uploads2",
    "xuploads",
    "u",
    "ploads",
    "uploads/",
    "uploads ",
    " uploads",
    "uploads\0",
    "uploads\n",
    "\tuploads",
    "uploads\u00a0",
    "uploads/v1",
    "uploads other",
    "other uploads",
    "uploads,other",
    "uploads;other",
    "uploads|other",
    ...["*", "uploads*", "up*", ".*", "^uploads$", "%", "https://uploads", '["uploads"]'],
    "\u0443ploads",
    "\uff55ploads",
    "upl\u043eads",
    "uploads\u0301",
    "uploads\u200b",
    "\ufeffuploads",
    "upl\u00adoads",
    "\u202euploads",
    "__proto__",
    "constructor",
    "length",
    "includes",
    "0",
    "undefined",
    "null",
    "true",
    "all",
    claims.client_id,
    claims.sub,
    issuer,
    claims.scope,
  ];

  itRefuses([
    ...withClaim("AUDIENCE_MISMATCH", "aud", near),
    ...withClaim(
      "AUDIENCE_MISMATCH",
      "aud",
      near.map((text) => [text]),
    ),
    ...withClaim("AUDIENCE_MISMATCH", "aud", [
      [],
      near,
      audience.split(""),
      ["up", "loads"],
      Array.from({ length: 400 }, (_, at) => `other-${at}`),
    ]),
  ]);
});

describe("an audience of which Unicode has several spellings", () => {
  const composed = "t\u00e9l\u00e9chargements";
  const decomposed = composed.normalize("NFD");
  itRefuses(
    [decomposed, [decomposed], composed.toUpperCase(), "telechargements"].map((aud): Attack => {
      const make = () => forge({ payload: { ...claims, aud } });
      return [`with aud ${JSON.stringify(aud)}`, "AUDIENCE_MISMATCH", make];
    }),
    makeValidator({ audience: composed }),
  );

  it("is accepted as it is, alone, and among others", async () => {
    for (const aud of [composed, [composed], [decomposed, composed, composed]]) {
      await makeValidator({ audience: composed }).validate(forge({ payload: { ...claims, aud } }));
    }
  });
});

describe("an audience of ours that looks like something else", () => {
  for (const audience of ["*", ".*", "a,b", "a b", "__proto__", "constructor", "0"]) {
    it(`is compared and not evaluated: ${audience}`, async () => {
      const by = makeValidator({ audience });
      await by.validate(forge({ payload: { ...claims, aud: [audience] } }));
    });
    itRefuses(
      [
        [
          "for someone else",
          "AUDIENCE_MISMATCH",
          () => forge({ payload: { ...claims, aud: ["a"] } }),
        ],
      ],
      makeValidator({ audience }),
    );
  }
});
