import assert from "node:assert/strict";
import { it } from "node:test";
import * as oauth from "oauth4webapi";
import { readReturnPath } from "../model/return-path.ts";
import { keys } from "../testing/test-service.ts";
import { PendingSignIns } from "./pending.ts";

const origin = "https://files.example.com";

it("a browser stores the cookie of a sign-in, whatever path is accepted", () => {
  const pending = new PendingSignIns({
    keys,
    lifetimeSeconds: 3600,
    pendingMax: 1,
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
            state: oauth.generateRandomState(),
            nonce: oauth.generateRandomNonce(),
            codeVerifier: oauth.generateRandomCodeVerifier(),
            returnPath,
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

it("a sign-in is found from its beginning until its time is up", (test) => {
  test.mock.timers.enable({ apis: ["Date"], now: 1_700_000_000_000 });
  const pending = new PendingSignIns({
    keys,
    lifetimeSeconds: 10,
    pendingMax: 1,
    cookiePrefix: "__Host-sign-in-",
  });
  for (const [ageMs, isFound] of [
    [-1, false],
    [0, true],
    [9_999, true],
    [10_000, false],
  ] as const) {
    const beganAtMs = Date.now() - ageMs;
    const signIn = { state: "s", nonce: "n", codeVerifier: "v", returnPath: "/", beganAtMs };
    const [cookie] = pending.add(signIn, undefined).at(-1)?.split(";") ?? [];
    assert.deepEqual(pending.find("s", cookie), isFound ? signIn : undefined, `${ageMs} ms`);
  }
});
