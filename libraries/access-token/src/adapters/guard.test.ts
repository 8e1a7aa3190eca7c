import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { validator } from "../../testing/tokens.ts";
import { createConnectGuard } from "./connect.ts";
import { createFastifyGuard } from "./fastify.ts";
import type { GuardOptions } from "./guard.ts";
import { createHttpGuard } from "./http.ts";

type Create = (of: typeof validator, options?: GuardOptions<unknown>) => unknown;
const guards: Record<string, Create> = { createHttpGuard, createFastifyGuard, createConnectGuard };

const wrongOptions: object[] = [
  { scopes: "a" },
  { toString: "a" },
  { scope: undefined },
  { scope: null },
  { scope: "" },
  { scope: "a b" },
  { scope: ["a"] },
  { realm: undefined },
  { realm: 'a", error="b' },
  { realm: "a\r\nX: y" },
  { realm: "" },
  { realm: "a".repeat(129) },
  { onRefused: true },
];

for (const [name, createGuard] of Object.entries(guards)) {
  describe(name, () => {
    for (const options of wrongOptions) {
      it(`throws a TypeError for ${JSON.stringify(options)}`, () => {
        assert.throws(() => createGuard(validator, options as GuardOptions<unknown>), TypeError);
      });
    }

    it("throws a TypeError without a validator", () => {
      for (const none of [undefined, null, {}, { validate: "yes" }]) {
        assert.throws(() => createGuard(none as unknown as typeof validator), TypeError);
      }
    });

    it("does not compile with a scope that is misspelt or forgotten", () => {
      // @ts-expect-error: it would let any token in.
      assert.throws(() => createGuard(validator, { scopes: "a" }), TypeError);
      // @ts-expect-error: as would a setting that is not set.
      assert.throws(() => createGuard(validator, { scope: process.env.NO_SCOPE }), TypeError);
    });

    it("takes no option at all, or every one", () => {
      createGuard(validator);
      createGuard(validator, { scope: "a", realm: "b c", onRefused() {} });
      createGuard(validator, { scope: () => "a" });
    });
  });
}
