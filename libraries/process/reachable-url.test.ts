import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reachableUrl } from "./reachable-url.ts";

describe("reachableUrl()", () => {
  const cases: [host: string, url: string][] = [
    ["127.0.0.1", "http://127.0.0.1:8080"],
    ["0.0.0.0", "http://127.0.0.1:8080"],
    ["::", "http://[::1]:8080"],
    ["fe80::1", "http://[fe80::1]:8080"],
    ["files.example.com", "http://files.example.com:8080"],
  ];
  for (const [host, url] of cases) {
    it(`of ${host} is ${url}`, () => assert.equal(reachableUrl(host, 8080), url));
  }
});
