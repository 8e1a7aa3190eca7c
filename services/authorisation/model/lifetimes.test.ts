import assert from "node:assert/strict";
import { afterEach, it, mock } from "node:test";
import fc from "fast-check";
import { lifetimesDefault, providerLifetimes } from "./lifetimes.ts";

const lifetimes = providerLifetimes(lifetimesDefault);

const day = 24 * 3600;
afterEach(() => mock.timers.reset());

type Lifetime = (ctx: undefined, of: object) => number;

const kinds = [
  { name: "RefreshToken", since: "iiat", idleMax: 14 * day, totalMax: 90 * day },
  { name: "Session", since: "loginTs", idleMax: 14 * day, totalMax: 30 * day },
] as const;

for (const { name, since, idleMax, totalMax } of kinds) {
  it(`a ${name} is renewed by use, but ends ${totalMax / day} days after the sign-in`, () => {
    const lifetimeOf = lifetimes[name] as unknown as Lifetime;
    const waits = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });
    fc.assert(
      fc.property(waits, (parts) => {
        mock.timers.reset();
        mock.timers.enable({ apis: ["Date"], now: 1_000_000_000_000 });
        const begun = Math.floor(Date.now() / 1000);
        for (const part of parts) {
          const seconds = lifetimeOf(undefined, { accountId: "somebody", [since]: begun });
          const now = Math.floor(Date.now() / 1000);
          assert.ok(seconds > 0 && seconds <= idleMax);
          assert.ok(now + seconds <= begun + totalMax);
          // Used again before it expires.
          mock.timers.tick(Math.floor(part * (seconds - 1)) * 1000);
        }
      }),
    );
  });
}

it("nothing that rests on a grant lasts longer than the grant", () => {
  const longest = 30 * day + 90 * day;
  assert.ok(Number(lifetimes.Grant) > longest + Number(lifetimes.AccessToken));
});

it("a session before the sign-in lasts no longer than the page", () => {
  assert.equal((lifetimes.Session as unknown as Lifetime)(undefined, {}), lifetimes.Interaction);
});
