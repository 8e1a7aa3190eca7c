import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itRefuses } from "../test-support/attacks.ts";
import { claims, encode, forge, header, signToken, validator } from "../test-support/tokens.ts";

const json = JSON.stringify;
const [headerPart, payloadPart] = [encode(header), encode(claims)];

async function edited(edit: (token: string) => string): Promise<string> {
  return edit(await signToken());
}

/** The last character of a part holds bits that no byte uses; sets them. */
function withUnusedBits(part: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(part.at(-1) ?? "");
  return part.slice(0, -1) + alphabet[last | 1];
}

describe("the shape of a token", () => {
  it("may be any valid one, up to 8 KiB", async () => {
    const filler = (count: number) => signToken({ filler: "x".repeat(count) });
    const [short, long] = [await filler(0), await filler(5000)];
    assert(short.length < 1024 && long.length > 6 * 1024 && long.length <= 8192);
    await validator.validate(short);
    await validator.validate(long);
  });

  it("is refused above 8 KiB before anything is decoded, so even good ones are", async () => {
    const good = await signToken();
    const exact = "x".repeat(8192);
    await assert.rejects(validator.validate(exact), { reason: "TOKEN_MALFORMED" });
    await assert.rejects(validator.validate(`${exact}x`), { reason: "TOKEN_TOO_LARGE" });
    const padding = encode({ ...header, filler: "x".repeat(6000) }).slice(0, 8192);
    await assert.rejects(validator.validate(`${padding}${good}`), { reason: "TOKEN_TOO_LARGE" });
  });

  itRefuses([
    ["that is undefined", "TOKEN_MALFORMED", () => undefined],
    ["that is null", "TOKEN_MALFORMED", () => null],
    ["that is an array", "TOKEN_MALFORMED", async () => [await signToken()]],
    ["that is an object with a toString", "TOKEN_MALFORMED", () => ({ toString: signToken })],
    ["that is a Buffer", "TOKEN_MALFORMED", async () => Buffer.from(await signToken())],
    ["that is empty", "TOKEN_MALFORMED", () => ""],
    ["of two parts", "TOKEN_MALFORMED", () => `${headerPart}.${payloadPart}`],
    ["of dots only", "TOKEN_MALFORMED", () => ".."],
    ["of four parts", "TOKEN_MALFORMED", () => edited((token) => `${token}.`)],
    ["of five parts, as encrypted ones have", "TOKEN_MALFORMED", () => "e30.e30.e30.e30.e30"],
    [
      "in the JSON serialisation",
      "TOKEN_MALFORMED",
      () => json({ protected: headerPart, payload: payloadPart, signature: "AA" }),
    ],
    ["with a space before", "TOKEN_MALFORMED", () => edited((token) => ` ${token}`)],
    ["with a line feed after", "TOKEN_MALFORMED", () => edited((token) => `${token}\n`)],
    [
      "with a space inside the signature",
      "TOKEN_MALFORMED",
      () => edited((token) => `${token.slice(0, -4)} ${token.slice(-4)}`),
    ],
    ["with a NUL after", "TOKEN_MALFORMED", () => edited((token) => `${token}\0`)],
    ["with padding on the signature", "TOKEN_MALFORMED", () => edited((token) => `${token}==`)],
    [
      "with padding on the header",
      "TOKEN_MALFORMED",
      () => edited((token) => token.replace(".", "=.")),
    ],
    [
      "in the alphabet of plain base64",
      "TOKEN_MALFORMED",
      () =>
        edited((token) => {
          const [first, second, signature = ""] = token.split(".");
          const plain = signature.replaceAll("-", "+").replaceAll("_", "/");
          return `${first}.${second}.${plain === signature ? `+${plain}` : plain}`;
        }),
    ],
    ["with unused bits set in the signature", "TOKEN_MALFORMED", () => edited(withUnusedBits)],
    [
      "with unused bits set in the payload",
      "TOKEN_MALFORMED",
      () => `${headerPart}.${withUnusedBits(encode("{}"))}.AA`,
    ],
    [
      "with a part of an impossible length",
      "TOKEN_MALFORMED",
      () => `${headerPart}.${payloadPart}.A`,
    ],
    [
      "with a character outside ASCII",
      "TOKEN_MALFORMED",
      () => edited((token) => `${token.slice(0, -1)}\u0141`),
    ],
    ["with a lone surrogate", "TOKEN_MALFORMED", () => edited((token) => `${token}\ud800`)],
  ]);
});

describe("the JSON of the header", () => {
  itRefuses([
    ["whose header is empty", "TOKEN_MALFORMED", () => forge({ header: "" })],
    ["whose header is no JSON", "TOKEN_MALFORMED", () => forge({ header: "{" })],
    ["whose header is null", "TOKEN_MALFORMED", () => forge({ header: "null" })],
    ["whose header is an array", "TOKEN_MALFORMED", () => forge({ header: [header] })],
    ["whose header is a string", "TOKEN_MALFORMED", () => forge({ header: json("RS256") })],
    [
      "whose header is two objects",
      "TOKEN_MALFORMED",
      () => forge({ header: `${json(header)}{}` }),
    ],
    [
      "whose header has a byte order mark",
      "TOKEN_MALFORMED",
      () => forge({ header: `\ufeff${json(header)}` }),
    ],
    [
      "whose header is not UTF-8",
      "TOKEN_MALFORMED",
      () => forge({ header: Buffer.from('{"alg":"RS256","kid":"\xff","typ":"JWT"}', "latin1") }),
    ],
    [
      "whose header is UTF-16",
      "TOKEN_MALFORMED",
      () => forge({ header: Buffer.from(json(header), "utf16le") }),
    ],
    [
      "whose header names alg twice",
      "TOKEN_MALFORMED",
      () => forge({ header: '{"alg":"none","alg":"RS256","kid":"key-1","typ":"JWT"}' }),
    ],
    [
      "whose header names kid twice, once escaped",
      "TOKEN_MALFORMED",
      () => forge({ header: '{"alg":"RS256","kid":"key-1","k\\u0069d":"key-2","typ":"JWT"}' }),
    ],
    [
      "whose header is nested 6,000 deep",
      "TOKEN_MALFORMED",
      () => `${encode("[".repeat(6000))}.e30.AA`,
    ],
  ]);
});

describe("the JSON of the payload", () => {
  const nested = (depth: number) =>
    json(claims).replace("}", `,"filler":${"[".repeat(depth)}${"]".repeat(depth)}}`);

  it("may be nested as deep as the bound and no deeper", async () => {
    await validator.validate(forge({ payload: nested(31) }));
    await assert.rejects(validator.validate(forge({ payload: nested(32) })), {
      reason: "TOKEN_MALFORMED",
    });
  });

  it("may hold members named __proto__ and constructor, which change nothing", async () => {
    const extra = '"__proto__":{"sid":"x"},"constructor":1,"toString":null,"hasOwnProperty":0,';
    const token = await validator.validate(
      forge({ payload: json(claims).replace("{", `{${extra}`) }),
    );
    assert.equal(token.sessionId, undefined);
    assert.equal(Object.getPrototypeOf(token), Object.prototype);
    assert.equal(({} as { sid?: string }).sid, undefined);
  });

  it("may hold white space and escapes", async () => {
    const text = JSON.stringify(claims, null, "\t").replace('"sub"', '"\\u0073\\u0075b"');
    assert.equal((await validator.validate(forge({ payload: text }))).subject, claims.sub);
  });

  itRefuses([
    ["whose payload is empty", "TOKEN_MALFORMED", () => forge({ payload: "" })],
    ["whose payload is text", "TOKEN_MALFORMED", () => forge({ payload: "hello" })],
    ["whose payload is null", "TOKEN_MALFORMED", () => forge({ payload: "null" })],
    ["whose payload is an array", "TOKEN_MALFORMED", () => forge({ payload: [claims] })],
    ["whose payload is a number", "TOKEN_MALFORMED", () => forge({ payload: "1" })],
    [
      "whose payload is two objects",
      "TOKEN_MALFORMED",
      () => forge({ payload: `${json(claims)} {}` }),
    ],
    [
      "whose payload has a trailing comma",
      "TOKEN_MALFORMED",
      () => forge({ payload: json(claims).replace("}", ",}") }),
    ],
    [
      "whose payload has a comment",
      "TOKEN_MALFORMED",
      () => forge({ payload: `${json(claims)}//` }),
    ],
    [
      "whose payload ends inside a string",
      "TOKEN_MALFORMED",
      () => forge({ payload: '{"iss":"https://' }),
    ],
    [
      "whose payload ends in a NUL",
      "TOKEN_MALFORMED",
      () => forge({ payload: `${json(claims)}\0` }),
    ],
    [
      "whose payload has a byte order mark",
      "TOKEN_MALFORMED",
      () => forge({ payload: `\ufeff${json(claims)}` }),
    ],
    [
      "whose payload is not UTF-8",
      "TOKEN_MALFORMED",
      () => forge({ payload: Buffer.from(json({ ...claims, sub: "\xff" }), "latin1") }),
    ],
    [
      "whose payload has a surrogate in UTF-8",
      "TOKEN_MALFORMED",
      () => forge({ payload: Buffer.from(json({ ...claims, sub: "\xed\xa0\x80" }), "latin1") }),
    ],
    [
      "that gives aud twice",
      "TOKEN_MALFORMED",
      () => forge({ payload: json(claims).replace("{", '{"aud":["other"],') }),
    ],
    [
      "that gives scope twice, once escaped",
      "TOKEN_MALFORMED",
      () => forge({ payload: json(claims).replace("{", '{"\\u0073cope":"admin",') }),
    ],
    [
      "that gives a name twice deep inside",
      "TOKEN_MALFORMED",
      () =>
        forge({
          payload: json(claims).replace(
            "{",
            '{"authorization_details":[{"type":"bucket","actions":[],"actions":["read"]}],',
          ),
        }),
    ],
  ]);
});
