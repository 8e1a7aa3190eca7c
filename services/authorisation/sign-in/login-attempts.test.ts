import assert from "node:assert/strict";
import { it } from "node:test";
import type { KoaContextWithOIDC } from "oidc-provider";
import { limitLogins } from "./login-attempts.ts";

const dayMs = 24 * 3600 * 1000;

it("a device is known for a year from its last sign-in, not longer", async (test) => {
  test.mock.timers.enable({ apis: ["Date"], now: 1_700_000_000_000 });
  const counted: string[] = [];
  const rate = (name: string) => ({
    consume: async () => {
      counted.push(name);
      return 0;
    },
    refund: async () => {},
  });
  const attempts = limitLogins({
    rates: { address: rate("address"), account: rate("account"), device: rate("device") },
    key: Buffer.alloc(32, 1),
    cookie: { name: "device", path: "/" },
  });
  let cookie = "";
  const cookies = { get: () => cookie, set: (_name: string, value: string) => (cookie = value) };
  const ctx = { ip: "203.0.113.1", cookies } as unknown as KoaContextWithOIDC;

  attempts.remember(ctx, "ann");
  test.mock.timers.tick(364 * dayMs);
  await attempts.begin(ctx, "ann");
  assert.deepEqual(counted.splice(0), ["device"]);
  attempts.remember(ctx, "ann");
  test.mock.timers.tick(364 * dayMs);
  await attempts.begin(ctx, "ann");
  assert.deepEqual(counted.splice(0), ["device"]);
  test.mock.timers.tick(dayMs);
  await attempts.begin(ctx, "ann");
  assert.deepEqual(counted, ["address", "account"]);
});
