import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keySetUrl } from "./remote-key-set.ts";

describe("the address of a key set", () => {
  const addresses: Record<string, string> = {
    "https://auth.example.com": "https://auth.example.com/.well-known/jwks.json",
    "https://auth.example.com/": "https://auth.example.com/.well-known/jwks.json",
    "https://example.com/tenant": "https://example.com/tenant/.well-known/jwks.json",
    "http://127.0.0.1:8081": "http://127.0.0.1:8081/.well-known/jwks.json",
  };
  for (const [issuer, address] of Object.entries(addresses)) {
    it(`of ${issuer} is ${address}`, () => assert.equal(keySetUrl(issuer).href, address));
  }

  const refused = ["", "auth.example.com", "file:///etc/passwd", "ftp://example.com"];
  const withMore = [
    "https://u:p@example.com",
    "https://u@example.com",
    "https://example.com?a",
    "https://example.com#a",
  ];
  for (const issuer of [...refused, ...withMore, undefined, {}]) {
    it(`cannot be made of ${JSON.stringify(issuer)}`, () => {
      assert.throws(() => keySetUrl(issuer as string), TypeError);
    });
  }
});
