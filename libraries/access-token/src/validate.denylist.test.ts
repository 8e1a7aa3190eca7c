import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeValidator, signToken } from "../testing/tokens.ts";
import { TokenRefusedError } from "./token-refused-error.ts";

describe("a denylist of the program's own", () => {
  const failing: Record<string, () => void> = {
    "throws an Error": () => {
      throw new Error("out of order\r\nINFO: token accepted");
    },
    "throws what has no text": () => {
      throw Object.create(null);
    },
    "throws an Error that cannot be quoted": () => {
      throw Object.assign(new Error("unquotable"), { message: 1n });
    },
    "is asynchronous": async () => undefined,
    "is asynchronous and rejects": async () => {
      throw new TokenRefusedError("TOKEN_REVOKED", "too late");
    },
    "gives an answer": () => false,
  };
  for (const [how, check] of Object.entries(failing)) {
    it(`counts as unavailable when it ${how}`, async () => {
      const validator = makeValidator({ denylist: { check, add: async () => undefined } });
      await assert.rejects(validator.validate(await signToken()), {
        name: "TokenRefusedError",
        reason: "DENYLIST_UNAVAILABLE",
        detail: /^the denylist failed: [\x20-\x7e]+$/,
        retryAfterSeconds: 1,
      });
    });
  }
});
