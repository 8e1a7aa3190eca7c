import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Attack, itRefuses } from "../../testing/attacks.ts";
import { claims, encode, forge, header, validator } from "../../testing/tokens.ts";

const good = forge({});
const [headerPart, payloadPart, signaturePart] = good.split(".") as [string, string, string];

/** A valid token of exactly this length, padded with spaces in its JSON. */
function tokenOfLength(length: number): string {
  for (let spaces = 0; spaces < 3; spaces++) {
    const spaced = `${JSON.stringify(header)}${" ".repeat(spaces)}`;
    const partBytes = Math.floor(((length - signaturePart.length - 2) * 3) / 4);
    const filler = partBytes - spaced.length - JSON.stringify(claims).length;
    for (let more = 0; more < 3; more++) {
      const payload = JSON.stringify(claims).replace("{", `{${" ".repeat(filler - more)}`);
      const token = forge({ header: spaced, payload });
      if (token.length === length) return token;
    }
  }
  throw new Error(`no token has ${length} characters`);
}

describe("the size of a token", () => {
  it("may be 8 KiB", async () => {
    const token = tokenOfLength(8192);
    assert.equal(token.length, 8192);
    await validator.validate(token);
  });

  itRefuses([
    ["that is good and one character over 8 KiB", "TOKEN_TOO_LARGE", () => tokenOfLength(8193)],
    ["of 8 KiB that is none", "TOKEN_MALFORMED", () => "x".repeat(8192)],
    ["of 8 KiB and one that is none", "TOKEN_TOO_LARGE", () => "x".repeat(8193)],
    ["of 100 MB", "TOKEN_TOO_LARGE", () => "x".repeat(100_000_000)],
    ["of 8 KiB in characters and more in bytes", "TOKEN_MALFORMED", () => "\u20ac".repeat(8192)],
    ["that is good, after 8 KiB of space", "TOKEN_TOO_LARGE", () => " ".repeat(8192) + good],
    // CVE-2025-30204: work for every dot.
    ["of 8192 dots", "TOKEN_MALFORMED", () => ".".repeat(8192)],
    ["of a million dots", "TOKEN_TOO_LARGE", () => ".".repeat(1_000_000)],
  ]);
});

describe("a value that is no string", () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const hostile = () => {
    throw new Error("this code must not run");
  };
  const trap = new Proxy({}, { get: hostile, has: hostile, getPrototypeOf: hostile });
  const values: [string, () => unknown][] = [
    ["undefined", () => undefined],
    ["null", () => null],
    ["a boolean", () => true],
    ["a number", () => 0],
    ["a bigint", () => 1n],
    ["a symbol", () => Symbol("token")],
    ["a function", () => () => good],
    ["a String object", () => new String(good)],
    ["an empty array", () => []],
    ["an array of one token", () => [good]],
    ["an array of the three parts", () => good.split(".")],
    ["an object", () => ({ token: good })],
    ["an object with a toString", () => ({ toString: () => good })],
    ["an object with a toString that throws", () => ({ toString: hostile })],
    ["an object that converts to a token", () => ({ [Symbol.toPrimitive]: () => good })],
    ["an object as long as a token", () => ({ length: good.length, indexOf: () => 1 })],
    ["an object without prototype", () => Object.create(null)],
    ["a Buffer", () => Buffer.from(good)],
    ["a Uint8Array", () => new TextEncoder().encode(good)],
    ["a Date", () => new Date(0)],
    ["a Map", () => new Map([["token", good]])],
    ["an Error", () => new Error(good)],
    ["a Proxy that throws", () => trap],
    ["a revoked Proxy", () => revoked.proxy],
    ["a token in the flattened JSON serialisation, parsed", () => flattened()],
  ];

  // Not through itRefuses, whose `await` would look into the value for a `then`.
  for (const [description, make] of values) {
    it(`is refused: ${description}`, async () => {
      await assert.rejects(validator.validate(make() as string), {
        name: "TokenRefusedError",
        reason: "TOKEN_MALFORMED",
        detail: "the token is not a string",
      });
    });
  }
});

function flattened() {
  return { protected: headerPart, payload: payloadPart, signature: signaturePart };
}

function edits(edited: Record<string, string>): Attack[] {
  return Object.entries(edited).map(([description, token]) => {
    return [description, "TOKEN_MALFORMED", () => token];
  });
}

describe("the parts of a token", () => {
  itRefuses(
    edits({
      "that is empty": "",
      "that is a space": " ",
      "of one part": headerPart,
      "of two parts": `${headerPart}.${payloadPart}`,
      "without its header": `${payloadPart}.${signaturePart}`,
      "with an empty header": `.${payloadPart}.${signaturePart}`,
      "of the payload alone, between dots": `.${payloadPart}.`,
      "of one dot": ".",
      "of two dots": "..",
      "of three dots": "...",
      "with a dot before": `.${good}`,
      "with a dot after": `${good}.`,
      "with two dots after the header": `${headerPart}..${payloadPart}.${signaturePart}`,
      "with two dots after the payload": `${headerPart}.${payloadPart}..${signaturePart}`,
      "with its signature twice": `${good}.${signaturePart}`,
      "with its header twice": `${headerPart}.${good}`,
      "of five parts, as encrypted ones have": `${good}.${payloadPart}.${signaturePart}`,
      "of six parts: two tokens": `${good}.${good}`,
      "with commas for dots": good.replaceAll(".", ","),
      "with encoded dots": good.replaceAll(".", "%2E"),
      "with dots of another script": good.replaceAll(".", "\uff0e"),
      "that begins with its signature": `${signaturePart}.${headerPart}.${payloadPart}`,
      "whose first dot is one to the right": good.replace(/\.(.)/, "$1."),
    }),
  );

  itRefuses([
    ["without its signature", "SIGNATURE_INVALID", () => `${headerPart}.${payloadPart}.`],
    // RFC 7515 appendix F: content kept elsewhere.
    ["without its payload", "SIGNATURE_INVALID", () => `${headerPart}..${signaturePart}`],
    ["of a header alone", "SIGNATURE_INVALID", () => `${headerPart}..`],
    [
      "that begins with its payload",
      "ALGORITHM_REFUSED",
      () => `${payloadPart}.${headerPart}.${signaturePart}`,
    ],
  ]);
});

describe("characters around a token", () => {
  itRefuses(
    edits({
      "with its scheme": `Bearer ${good}`,
      "in quotation marks": `"${good}"`,
      "in angle brackets": `<${good}>`,
      "with a space before": ` ${good}`,
      "with a space after": `${good} `,
      "with a tab after": `${good}\t`,
      "with a line feed before": `\n${good}`,
      "with a line feed after": `${good}\n`,
      "with CRLF and a header after": `${good}\r\nX-Admin: 1`,
      "with a NUL before": `\0${good}`,
      "with a NUL after": `${good}\0`,
      "with a NUL and a token after": `${good}\0${good}`,
      "with a byte order mark": `\ufeff${good}`,
      "with a space of no width": `${good}\u200b`,
      "with a no-break space": `${good}\u00a0`,
      "with a lone surrogate": `${good}\ud800`,
      "twice, with a comma": `${good},${good}`,
      "twice, with a space": `${good} ${good}`,
      "with a semicolon": `${good};`,
      "with a fragment": `${good}#`,
      "with a query": `${good}?x=1`,
      // SD-JWT (RFC 9901) and other suffixes of a JWT.
      "with the tilde of selective disclosure": `${good}~`,
      "with a disclosure": `${good}~${encode(["salt", "scope", "admin"])}~`,
    }),
  );
});

// CVE-2022-39227: one text that is a token in both serialisations.
describe("the JSON serialisation", () => {
  const general = { payload: payloadPart, signatures: [flattened()] };
  const disguised = `{"${headerPart}.${encode({ ...claims, scope: "admin" })}.${signaturePart}":1,`;
  const fields = JSON.stringify(flattened()).slice(1);
  itRefuses(
    edits({
      "in the flattened JSON serialisation": JSON.stringify(flattened()),
      "in the general JSON serialisation": JSON.stringify(general),
      "with an unprotected header": JSON.stringify({ ...flattened(), header: { alg: "none" } }),
      "in JSON, and compact inside a name of it": `${disguised}${fields}`,
      "in JSON, and compact after it": JSON.stringify(flattened()) + good,
      "in JSON, encoded": encode(flattened()),
    }),
  );
});

describe("a token of another kind", () => {
  itRefuses(
    edits({
      "that is a PASETO": `v4.public.${payloadPart}`,
      "that is a host name": "auth.example.com",
      "that is a version": "1.2.3",
      "that is words": "null.undefined.NaN",
      "that is opaque": "2YotnFZFEjr1zCsicMWpAA",
      "that is a UUID": claims.jti,
      "that is null in writing": "null",
      "that is [object Object]": "[object Object]",
      "that is the JSON of its claims": JSON.stringify(claims),
    }),
  );

  itRefuses([["of three empty objects", "ALGORITHM_REFUSED", () => "e30.e30.e30"]]);
});
