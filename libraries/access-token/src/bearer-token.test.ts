import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readBearerToken } from "./bearer-token.ts";

const accepted: Record<string, string> = {
  "Bearer abc": "abc",
  "bearer abc": "abc",
  "BEARER abc": "abc",
  "Bearer   abc": "abc",
  "Bearer a.b-c_d~e+f/0==": "a.b-c_d~e+f/0==",
};

const missing = [
  undefined,
  "",
  "Basic dXNlcjpwYXNz",
  "Digest",
  "Bearers abc",
  "DPoP abc",
  'Digest username="a", realm="b"',
  "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c",
  "Basic abc, Basic def",
  "Basic abc, Bearers def",
];

const malformed: unknown[] = [
  "Bearer",
  "Bearer ",
  "Bearer  ",
  "Bearer\tabc",
  "Bearer abc ",
  "Bearer abc def",
  "Bearer abc, Bearer def",
  "Bearer abc,def",
  "Bearer abc,",
  "Basic abc, Bearer def",
  "Basic abc,bearer def",
  "Basic abc, Bearer",
  "Bearer =",
  "Bearer a=b",
  'Bearer "abc"',
  "Bearer abc\n",
  "Bearer abc\r\nX: y",
  "Bearer abc\0",
  "Bearer ábc",
  "Bearer token=abc",
  " Bearer abc",
  " ",
  ": abc",
  "é abc",
  ["Bearer abc"],
  ["Bearer abc", "Bearer def"],
  null,
  7,
  {},
];

describe("readBearerToken", () => {
  for (const [header, token] of Object.entries(accepted)) {
    it(`reads ${JSON.stringify(header)}`, () => assert.equal(readBearerToken(header), token));
  }
  for (const header of missing) {
    it(`finds no token in ${JSON.stringify(header)}`, () => {
      assert.throws(() => readBearerToken(header), { reason: "TOKEN_MISSING" });
    });
  }
  for (const header of malformed) {
    it(`refuses ${JSON.stringify(header)}`, () => {
      assert.throws(() => readBearerToken(header as string), {
        name: "TokenRefusedError",
        reason: "AUTHORIZATION_MALFORMED",
      });
    });
  }
});
