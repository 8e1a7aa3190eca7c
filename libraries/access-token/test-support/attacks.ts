/** Runs a table of attacks: each row is a token, and the reason for which it must be refused. */
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  quote,
  refusalMessages,
  type TokenRefusalReason,
  TokenRefusedError,
} from "../src/token-refused-error.ts";
import { validator } from "./tokens.ts";

export type Attack = [token: string, reason: TokenRefusalReason, make: () => unknown];

export function itRefuses(attacks: readonly Attack[]): void {
  for (const [description, reason, make] of attacks) {
    it(`refuses a token ${description}`, async () => {
      const token = await make();
      const error = await validator.validate(token as string).then(
        (accepted) => assert.fail(`the token was accepted: ${quote(accepted)}`),
        (thrown: unknown) => thrown,
      );
      assert(error instanceof TokenRefusedError, `not a refusal: ${error}`);
      assert.equal(error.reason, reason, error.detail);
      assert.equal(error.message, refusalMessages[reason]);
    });
  }
}
