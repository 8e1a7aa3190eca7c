import { describe, it } from "node:test";
import { type Attack, itRefuses, withClaim, withClaimWritten } from "../../testing/attacks.ts";
import { claims, forge, issuer, makeValidator } from "../../testing/tokens.ts";

describe("an issuer that is no text", () => {
  itRefuses([
    ...withClaim("CLAIM_INVALID", "iss", [
      undefined,
      null,
      "",
      0,
      1,
      true,
      false,
      [],
      {},
      // CVE-2025-30144: one of several was enough.
      ...[[issuer], ["https://attacker.example", issuer], [[issuer]], { 0: issuer }],
      { toString: issuer },
      { [issuer]: true },
      { $eq: issuer },
      { iss: issuer },
    ]),
    ...withClaimWritten("CLAIM_INVALID", "iss", ['"\\ud800"', `"${issuer}\\udfff"`]),
  ]);
});

/** The first of these characters is another. */
const swapped = (from: string, to: string) => issuer.replace(from, to);

describe("an issuer near to ours", () => {
  itRefuses(
    withClaim("ISSUER_MISMATCH", "iss", [
      ...[`${issuer}/`, `${issuer}//`, `${issuer}/.`, `${issuer}?`, `${issuer}#`, `${issuer}:443`],
      `${issuer}.`,
      `${issuer}:`,
      `${issuer}/tenant`,
      `${issuer}?tenant=1`,
      `${issuer}#x`,
      `${issuer} `,
      ` ${issuer}`,
      `${issuer}\0`,
      `${issuer}\n`,
      `\t${issuer}`,
      `${issuer}\u00a0`,
      `${issuer}\u2028`,
      `${issuer}\u0301`,
      ...[issuer.toUpperCase(), "HTTPS://auth.example.com", "https://Auth.example.com"],
      ...["http://auth.example.com", "//auth.example.com", "auth.example.com", "https://auth"],
      ...["https:/auth.example.com", "https:\\\\auth.example.com", "https://auth%2eexample.com"],
      // CVE-2024-53861: a part of the right issuer, or a text that contains it.
      ...["https://", "auth", "h", ".", "example.com", issuer.slice(0, -1), issuer.slice(1)],
      `${issuer}.attacker.example`,
      `${issuer}@attacker.example`,
      `x${issuer}`,
      ...[`https://attacker.example/${issuer}`, `https://attacker.example?${issuer}`],
      ...[`https://attacker.example#${issuer}`, `https://user@auth.example.com`],
      ...[`${issuer},https://attacker.example`, `https://attacker.example ${issuer}`],
      `["${issuer}"]`,
      // Patterns, and names that every object has.
      ...["*", "https://*.example.com", ".*", "^https://auth", "%", "__proto__", "constructor"],
      "undefined",
      "null",
      "true",
      "[object Object]",
      // Letters that look like ours or vanish: Cyrillic, fullwidth, soft hyphen, no width.
      swapped("e", "\u0435"),
      swapped("a", "\u0430"),
      swapped("c", "\u0441"),
      swapped(".", "\uff0e"),
      swapped(".", "\u3002"),
      swapped("/", "\u2044"),
      swapped("a", "\uff41"),
      swapped("h.", "h\u0307."),
      swapped("au", "au\u00ad"),
      swapped("au", "au\u200b"),
      `\ufeff${issuer}`,
      `\u202e${issuer}`,
      "https://xn--uth-5cd.example.com",
    ]),
  );
});

describe("an issuer of which Unicode has several spellings", () => {
  const composed = "https://\u00e9.example/\u00c5";
  const spellings: Record<string, string> = {
    decomposed: composed.normalize("NFD"),
    "with the sign of the unit": composed.replace("\u00c5", "\u212b"),
    "half decomposed": composed.replace("\u00e9", "e\u0301"),
    "in punycode": "https://xn--9ca.example/\u00c5",
    encoded: encodeURI(composed),
    "in capitals": composed.toUpperCase(),
  };
  itRefuses(
    Object.entries(spellings).map(([description, iss]): Attack => {
      const make = () => forge({ payload: { ...claims, iss } });
      return [`whose issuer is ours ${description}`, "ISSUER_MISMATCH", make];
    }),
    makeValidator({ issuer: composed }),
  );

  it("is accepted as it is", async () => {
    await makeValidator({ issuer: composed }).validate(
      forge({ payload: { ...claims, iss: composed } }),
    );
  });
});

describe("an issuer of ours with a slash at the end", () => {
  itRefuses(
    [["whose issuer has none", "ISSUER_MISMATCH", () => forge({})]],
    makeValidator({ issuer: `${issuer}/` }),
  );
});
