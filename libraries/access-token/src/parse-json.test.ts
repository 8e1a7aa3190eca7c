import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { parseJsonObject } from "./parse-json.ts";

const parse = (text: string) => parseJsonObject(Buffer.from(text));

describe("parseJsonObject", () => {
  it("returns what JSON.parse returns, for any object", () => {
    const object = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 8 }));
    return fc.assert(
      fc.property(object, fc.constantFrom("", " ", "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        assert.deepEqual(parse(text), JSON.parse(text));
      }),
    );
  });

  it("refuses any object with a duplicate name", () => {
    const name = fc.string({ unit: "grapheme" });
    const member = fc.tuple(name, fc.jsonValue({ maxDepth: 2 }));
    return fc.assert(
      fc.property(
        fc.array(member),
        fc.array(member),
        member,
        fc.boolean(),
        (some, rest, twice, inner) => {
          const write = ([key, value]: [string, unknown]) =>
            `${JSON.stringify(key)}:${JSON.stringify(value)}`;
          const text = `{${[...some, twice, ...rest, twice].map(write).join()}}`;
          assert.throws(() => parse(inner ? `{"a":[${text}]}` : text), SyntaxError);
        },
      ),
    );
  });

  const twice = [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":1}',
    '{"__proto__":1,"__proto__":1}',
    '{"1":1,"1":1}',
    '{"":1,"":1}',
    '{"a\\"":1,"a\\u0022":1}',
    '{"a":{"b":[{"c":1,"c":2}]}}',
  ];
  for (const text of twice) {
    it(`refuses ${text}`, () => {
      assert.throws(() => parse(text), { name: "SyntaxError", message: "a name is given twice" });
    });
  }

  const distinct = ['{"a":":,{","b":"\\":"}', '{"a":1,"A":1,"á":1,"a\u0301":1}', '{"a":[{"a":1}]}'];
  for (const text of distinct) {
    it(`accepts ${text}`, () => assert.deepEqual(parse(text), JSON.parse(text)));
  }

  it("never quotes the text in its message", () => {
    for (const text of ['{"secret', "secret", '{"secret":}', '["secret"]', '{"secret":"\n"}']) {
      assert.throws(
        () => parse(text),
        (error: Error) => !error.message.includes("secret"),
      );
    }
  });
});
