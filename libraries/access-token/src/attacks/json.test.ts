import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { type Attack, itRefuses } from "../../testing/attacks.ts";
import { claims, encode, forge, header, validator } from "../../testing/tokens.ts";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const objects = (depth: number) => `${'{"a":'.repeat(depth)}0${"}".repeat(depth)}`;
/** The good text with one more member at its beginning. */
const member = (text: string, more: string) => text.replace("{", () => `{${more},`);
const bytes = (text: string) => Buffer.from(text, "latin1");

/** What is not JSON (RFC 8259), not UTF-8, not one object, or not the same to every parser. */
const faults: Record<string, (text: string) => string | Buffer> = {
  "is empty": () => "",
  "is a space": () => " ",
  "is null": () => "null",
  "is true": () => "true",
  "is a number": () => "1",
  "is a string": (text) => JSON.stringify(text),
  "is an array of one object": (text) => `[${text}]`,
  "is encoded twice": (text) => encode(text),
  "is two objects": (text) => `${text}${text}`,
  "is an object, a space and an object": (text) => `${text} {}`,
  "is an object on each of two lines": (text) => `${text}\n${text}`,
  "is cut short": (text) => text.slice(0, -1),
  "has a bracket too many": (text) => `${text}}`,
  "has a trailing comma": (text) => text.replace(/\}$/, ",}"),
  "has a leading comma": (text) => text.replace("{", "{,"),
  "has no colon": (text) => text.replace(":", " "),
  "has a comment behind it": (text) => `${text}//`,
  "has a comment inside": (text) => text.replace("{", "{/**/"),
  "has apostrophes for quotation marks": (text) => text.replaceAll('"', "'"),
  "has a name without quotation marks": (text) => member(text, "a:1"),
  "has a number for a name": (text) => member(text, "1:1"),
  "has garbage behind it": (text) => `${text}x`,
  "has a NUL before it": (text) => `\0${text}`,
  "has a NUL behind it": (text) => `${text}\0`,
  "has a NUL in a name": (text) => member(text, '"a\0":1'),
  "has a line feed in a string": (text) => member(text, '"a":"\n"'),
  "has a tab in a string": (text) => member(text, '"a":"\t"'),
  "has an unknown escape": (text) => member(text, '"a":"\\x41"'),
  "has half an escape": (text) => member(text, '"a":"\\u00"'),
  "has a string that never ends": (text) => `${text.slice(0, -1)},"a":"`,
  "has a string that ends in a backslash": (text) => `${text.slice(0, -1)},"a":"\\`,
  "has NaN": (text) => member(text, '"a":NaN'),
  "has Infinity": (text) => member(text, '"a":-Infinity'),
  "has undefined": (text) => member(text, '"a":undefined'),
  "has True": (text) => member(text, '"a":True'),
  "has a number in hexadecimal": (text) => member(text, '"a":0x10'),
  "has a number with a leading zero": (text) => member(text, '"a":010'),
  "has a number with a plus sign": (text) => member(text, '"a":+1'),
  "has a number without its zero": (text) => member(text, '"a":.5'),
  "has a number that ends in a point": (text) => member(text, '"a":1.'),
  "has a number with separators": (text) => member(text, '"a":1_000'),
  "has a bigint": (text) => member(text, '"a":1n'),
  "has a lone minus sign": (text) => member(text, '"a":-'),
  "has a form feed for white space": (text) => `\f${text}`,
  "has a no-break space for white space": (text) => `\u00a0${text}`,
  "has a line separator for white space": (text) => `${text}\u2028`,
  "is JavaScript": (text) => `(${text})`,
  "is a call": (text) => `callback(${text})`,
  "has a prefix against inclusion": (text) => `)]}',\n${text}`,
  "is a JSON text sequence": (text) => `\x1e${text}\n`,
  "is XML": () => "<alg>RS256</alg>",
  "has a byte order mark": (text) => `\ufeff${text}`,
  "is UTF-16, little end first": (text) => Buffer.from(text, "utf16le"),
  "is UTF-16, big end first": (text) => Buffer.from(text, "utf16le").swap16(),
  "has a byte that no UTF-8 has": (text) => bytes(member(text, '"a":"\xff"')),
  "has a byte of Latin-1": (text) => bytes(member(text, '"a":"\xe9"')),
  "has a quotation mark of two bytes": (text) => bytes(member(text, '"a\xc0\xa2:1')),
  "has a slash of two bytes": (text) => bytes(member(text, '"a":"\xc0\xaf"')),
  "has a NUL of two bytes": (text) => bytes(member(text, '"a":"\xc0\x80"')),
  "has a slash of three bytes": (text) => bytes(member(text, '"a":"\xe0\x80\xaf"')),
  "has a surrogate in UTF-8": (text) => bytes(member(text, '"a":"\xed\xa0\x80"')),
  "has a pair of surrogates in UTF-8": (text) =>
    bytes(member(text, '"a":"\xed\xa0\xbd\xed\xb1\x8d"')),
  "has a character beyond Unicode": (text) => bytes(member(text, '"a":"\xf4\x90\x80\x80"')),
  "has half a character": (text) => bytes(member(text, '"a":"\xe2\x82"')),
  "ends inside a character": (text) => bytes(`${text}\xe2\x82`),
  "is gzipped": (text) => gzipSync(text),
  "is deflated": (text) => deflateRawSync(text),
  "is nested 33 deep in arrays": (text) => member(text, `"a":${nested(32)}`),
  "is nested 33 deep in objects": (text) => member(text, `"a":${objects(32)}`),
  "is 2,000 arrays deep": () => nested(2000),
  "is 900 objects deep": () => objects(900),
  "opens 4,000 arrays and closes none": () => "[".repeat(4000),
};

for (const part of ["header", "payload"] as const) {
  describe(`the JSON of the ${part}`, () => {
    const text = JSON.stringify(part === "header" ? header : claims);
    itRefuses(
      Object.entries(faults).map(([description, spoil]): Attack => {
        return [
          `whose ${part} ${description}`,
          "TOKEN_MALFORMED",
          () => forge({ [part]: spoil(text) }),
        ];
      }),
    );
  });
}

// RFC 8725 has parsers differ in whether the first or the last of two names counts.
describe("a name given twice", () => {
  const twice = (part: "header" | "payload", object: object) =>
    Object.entries(object).flatMap(([name, value]): Attack[] => {
      const text = JSON.stringify(object);
      const escaped = `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
      const row = (how: string, changed: string): Attack => {
        return [
          `whose ${part} gives ${name} twice, ${how}`,
          "TOKEN_MALFORMED",
          () => forge({ [part]: changed }),
        ];
      };
      const first = `"${name}":"other"`;
      return [
        row("the good one last", member(text, first)),
        row(
          "the good one first",
          text.replace(/\}$/, () => `,${first}}`),
        ),
        row("alike", member(text, `"${name}":${JSON.stringify(value)}`)),
        row("once escaped", member(text, `"${escaped}":${JSON.stringify(value)}`)),
      ];
    });

  itRefuses([...twice("header", header), ...twice("payload", claims)]);

  const inside = [
    '{"__proto__":1,"__proto__":2}',
    '{"1":1,"1":2}',
    '{"":1,"":2}',
    '{"a\\"b":1,"a\\u0022b":2}',
    '{"a":{"b":[{"c":1,"c":1}]}}',
    '[{"type":"bucket","actions":[],"actions":["read"]}]',
    '{"sub":"a","sub":"b"}',
    '{"\u00e9":1,"\\u00e9":2}',
    '{"\\ud83d\\udd11":1,"\u{1f511}":2}',
  ];
  itRefuses(
    inside.map((text): Attack => {
      const payload = member(JSON.stringify(claims), `"more":${text}`);
      return [`with ${text} somewhere inside`, "TOKEN_MALFORMED", () => forge({ payload })];
    }),
  );
});

describe("JSON that is good", () => {
  const accepts = async (payload: string, headerText = JSON.stringify(header)) => {
    const token = await validator.validate(forge({ header: headerText, payload }));
    assert.equal(token.subject, claims.sub);
    assert.deepEqual([...token.scopes], [claims.scope]);
    assert.equal(token.sessionId, undefined);
    assert.equal(Object.getPrototypeOf(token), Object.prototype);
  };
  const text = JSON.stringify(claims);

  it("may be nested 32 deep", async () => {
    await accepts(member(text, `"a":${nested(31)}`));
    await accepts(member(text, `"a":${objects(31)}`));
  });

  it("may be written with white space and escapes", async () => {
    const spaced = JSON.stringify(claims, null, "\t").replace('"sub"', '"\\u0073\\u0075b"');
    await accepts(
      ` ${spaced}\r\n`,
      ' {"\\u0061lg" :\t"\\u0052S256","kid":"key\\u002d1","typ":"JWT"}',
    );
  });

  it("may have names that every object has, without effect", async () => {
    const names = ["constructor", "toString", "valueOf", "hasOwnProperty", "toJSON", "length"];
    const strange = names.map((name) => `"${name}":{"sid":"x"}`).join();
    await accepts(member(text, strange));
    await accepts(member(text, '"__proto__":{"sid":"x","scope":"admin"}'));
    await accepts(member(text, '"__proto__":null'));
    assert.equal(({} as { sid?: string }).sid, undefined);
  });

  it("may have 700 names that differ, also only in case or composition", async () => {
    const names = Array.from({ length: 700 }, (_, at) => `"${at}":0`).join();
    await accepts(member(text, names));
    await accepts(member(text, '"Sub":1,"SUB":2,"sub ":3,"\u00e9":4,"e\u0301":5'));
  });

  it("may have lone surrogates in names and texts that are not read", async () => {
    await accepts(member(text, '"\\ud800":"\\udc00"'));
  });
});
