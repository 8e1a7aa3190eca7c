/** Runs a table of attacks: each row is a token, and the reason for which it must be refused. */
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  quote,
  refusalMessages,
  type TokenRefusalReason,
  TokenRefusedError,
} from "../src/token-refused-error.ts";
import type { AccessTokenValidator } from "../src/validator.ts";
import { claims, forge, header, validator } from "./tokens.ts";

export type Attack = [token: string, reason: TokenRefusalReason, make: () => unknown];

export function itRefuses(attacks: readonly Attack[], by: AccessTokenValidator = validator): void {
  for (const [description, reason, make] of attacks) {
    it(`refuses a token ${printable(description)}`, async () => {
      const error = await refusalOf(await make(), by);
      assert.equal(error.reason, reason, error.detail);
    });
  }
}

/** Fails the test unless the token is refused with a TokenRefusedError. */
export async function refusalOf(
  token: unknown,
  by: AccessTokenValidator = validator,
): Promise<TokenRefusedError> {
  const error = await by.validate(token as string).then(
    (accepted) => assert.fail(`the token was accepted: ${quote(accepted)}`),
    (thrown: unknown) => thrown,
  );
  assert(error instanceof TokenRefusedError, `not a refusal: ${error}`);
  // Callers see only fixed messages, which contain nothing of the token.
  assert.equal(error.message, refusalMessages[error.reason]);
  assert.equal(error.status, 401);
  // Log entries are one short line without control characters.
  assert.match(error.detail, /^[\x20-\x7e…]{1,400}$/);
  return error;
}

/** A row for each wrong value of one header parameter. `undefined` leaves the parameter out. */
export const withParameter = spoilt("header", header);

/** The same for a claim. */
export const withClaim = spoilt("payload", claims);

function spoilt(part: "header" | "payload", good: object) {
  return (reason: TokenRefusalReason, name: string, values: readonly unknown[]): Attack[] =>
    values.map((value) => {
      const make = () => forge({ [part]: { ...good, [name]: value } });
      return [`with ${name} ${described(value)}`, reason, make];
    });
}

/** The same for values of a claim as JSON can write them and JavaScript cannot. */
export function withClaimWritten(
  reason: TokenRefusalReason,
  name: string,
  texts: readonly string[],
): Attack[] {
  return texts.map((text): Attack => {
    const others = JSON.stringify({ ...claims, [name]: undefined });
    const make = () => forge({ payload: others.replace("{", () => `{"${name}":${text},`) });
    return [`with ${name} written as ${shortened(text)}`, reason, make];
  });
}

function described(value: unknown): string {
  return shortened(JSON.stringify(value) ?? "absent");
}

function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 60)}… of ${text.length} characters`;
}

/** Makes a unique, readable test name for every row. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e…]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
