/** The grant types that a client can be added with. */
import { InvalidArgumentError } from "commander";

/** The name on the command line of each, and the one that OAuth gives it. */
export const grantTypes = {
  "client-credentials": "client_credentials",
  "authorization-code": "authorization_code",
  "refresh-token": "refresh_token",
} as const;

/** Adds a grant type to those given before. */
export function collectGrantType(text: string, earlier: readonly string[] = []): string[] {
  if (!Object.hasOwn(grantTypes, text)) {
    throw new InvalidArgumentError(`Need one of ${Object.keys(grantTypes).join(", ")}.`);
  }
  return [...new Set([...earlier, grantTypes[text as keyof typeof grantTypes]])];
}
