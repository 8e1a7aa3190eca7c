import assert from "node:assert/strict";
import { it } from "node:test";
import * as oauth from "oauth4webapi";
import { readReturnPath } from "../model/return-path.ts";
import { keys } from "../testing/test-service.ts";
import { PendingSignIns } from "./pending.ts";

const origin = "https://files.example.com";

it("a browser stores the cookie of a sign-in, whatever path is accepted", () => {
  const pending = new PendingSignIns({
    ...{ keys, lifetimeSeconds: 3600, pendingMax: 1 },
    cookiePrefix: `__Host-${"x".repeat(64)}-sign-in-`,
  });
  let longest = 0;
  for (const beginning of ["/x", "/?x=", "/#x"]) {
    for (let code = 0x21; code <= 0x7e; code++) {
      // Normalised, a character is as long as itself or has three: one of these is the longest.
      for (const count of [1996, 1990, 665, 660]) {
        const text = beginning + String.fromCharCode(code).repeat(count);
        const returnPath = readReturnPath(text, origin);
        if (returnPath === undefined) continue;
        const [cookie = ""] = pending.add(
          {
            ...{ state: oauth.generateRandomState(), nonce: oauth.generateRandomNonce() },
            ...{ codeVerifier: oauth.generateRandomCodeVerifier(), returnPath },
            beganAtMs: Date.now(),
          },
          undefined,
        );
        assert.ok(cookie.length < 4096, `${JSON.stringify(text.slice(0, 9))}: ${cookie.length}`);
        longest = Math.max(longest, returnPath.length);
      }
    }
  }
  assert.equal(longest, 2000);
});
