import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { headersKeptMax } from "./limits.ts";
import { KnownHeaders } from "./verified-token-cache.ts";

describe("the headers of verified tokens", () => {
  it("are not read again, and are forgotten before there are too many", () => {
    const headers = new KnownHeaders();
    // Such a text cannot be read: only one that is remembered has a key ID.
    const unreadable = (number: number) => `!${number}`;
    for (let number = 0; number < 10 * headersKeptMax; number++) {
      headers.keep(unreadable(number), `key-${number}`);
      headers.keep(unreadable(number), `key-${number}`);
      assert.equal(headers.check(unreadable(number)), `key-${number}`);
      const forgotten = number - headersKeptMax;
      if (forgotten < 0) continue;
      assert.throws(() => headers.check(unreadable(forgotten)), { reason: "TOKEN_MALFORMED" });
    }
  });
});
