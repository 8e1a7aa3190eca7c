import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { JsonTextError, parseJson } from "./parse-json.ts";

const twice: Record<string, string> = {
  '{"a":1,"a":1}': '"a" again at position 7',
  '{ "a" : 1 , "b" : {} , "a" : 2 }': '"a" again at position 23',
  '{"a":1,"\\u0061":1}': '"\\u0061" again at position 7',
  '[{"x":{"a":[{"a":1}],"a":"a"}}]': '"a" again at position 21',
  '{"":1,"":1}': '"" again at position 6',
  '{"__proto__":1,"__proto__":1}': '"__proto__" again at position 15',
  '{"\\\\":"\\"","\\\\":1}': '"\\\\" again at position 11',
};

const unambiguous = [
  '{"a":{"a":{"a":"a"}},"b":[{"a":1},{"a":1}]}',
  '{"a":"\\"","b":"{\\"a\\":1,\\"a\\":1}"}',
  '{"a":"b","b":"a","c":["a","a",",","a"]}',
  '{"a\\\\":1,"a":1,"A":1,"á":1,"a\u0301":1}',
  '["a","a"]',
  '"a"',
  " null ",
  "-0",
  "{}",
];

describe("parseJson()", () => {
  for (const [text, what] of Object.entries(twice)) {
    it(`rejects ${text}`, () => {
      assert.throws(() => parseJson(text), {
        name: "JsonTextError",
        message: `Cannot read JSON: got member name ${what}, need every name once in an object`,
      });
    });
  }

  for (const text of unambiguous) {
    it(`reads ${text}`, () => assert.deepEqual(parseJson(text), JSON.parse(text)));
  }

  for (const text of ["", "{", "{'a':1}", '{"a":1,}', "\uFEFF{}", "[1]2", '"\n"', "NaN"]) {
    it(`rejects ${JSON.stringify(text)}, which is not JSON`, () => {
      assert.throws(() => parseJson(text), JsonTextError);
    });
  }

  it("accepts 100 levels and reports the position of a deeper one", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    assert.equal(JSON.stringify(parseJson(nested(100))), nested(100));
    assert.throws(() => parseJson(nested(101)), {
      message:
        "Cannot read JSON: got deeper nesting at position 100, " +
        "need at most 100 objects and arrays in one another",
    });
    assert.throws(() => parseJson(nested(1_000_000)), /deeper nesting at position 100,/);
  });

  it("shortens a long name in its message", () => {
    const name = JSON.stringify("n".repeat(10_000));
    assert.throws(
      () => parseJson(`{${name}:1,${name}:1}`),
      ({ message }: Error) => {
        return message.length < 200;
      },
    );
  });

  it("reads every JSON text without duplicate names as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, "\t"), (json, indent) => {
        const text = JSON.stringify(json, null, indent);
        assert.deepEqual(parseJson(text), JSON.parse(text));
      }),
    );
  });

  it("reads escaped names exactly, whatever was read before", () => {
    parseJson('{"a":0,"\\\\":1}');
    for (const [text, names] of [
      ['{"a":0,"\\u0062":1}', ["a", "b"]],
      ['{"a":0,"\\n":1}', ["a", "\n"]],
    ] as const) {
      assert.deepEqual(Object.keys(parseJson(text) as object), names);
    }
    assert.throws(() => parseJson('{"a":0,"\\u0061":1}'), /"\\u0061" again at position 7/);
  });

  it("reads any text with escaped names as it reads it without them", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, "\t"), (json, indent) => {
        const escaped = JSON.stringify([{ "\n": json }, json], null, indent);
        const plain = JSON.stringify(json);
        assert.deepEqual(parseJson(escaped), [{ "\n": JSON.parse(plain) }, JSON.parse(plain)]);
      }),
    );
  });

  it("rejects a duplicate name in any object of a random text", () => {
    const text = fc
      .tuple(fc.array(fc.jsonValue()), fc.string({ unit: "binary" }), fc.jsonValue())
      .map(([before, name, value]) => {
        const member = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
        return `[${[...before.map((json) => JSON.stringify(json)), `{${member},${member}}`]}]`;
      });
    fc.assert(fc.property(text, (text) => assert.throws(() => parseJson(text), JsonTextError)));
  });

  it("takes time in proportion to the length of the text", () => {
    for (const part of ['\\"', "\\\\", "a", "{", ","]) {
      const text = JSON.stringify(part.repeat(500_000));
      assert.equal(parseJson(text), JSON.parse(text));
    }
  });
});
