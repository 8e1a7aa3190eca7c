import type { AccessToken } from "../access-token.ts";
import { readBearerToken } from "../bearer-token.ts";
import { requireScope } from "../scope.ts";
import type { AccessTokenValidator } from "../validator.ts";
import type { GuardOptions } from "./guard-options.ts";

/** What every guard does with a request before anything of its body is read. */
export async function authenticate<Request>(
  authorization: string | undefined,
  request: Request,
  validator: AccessTokenValidator,
  scope: GuardOptions<Request>["scope"],
): Promise<AccessToken> {
  try {
    const token = await validator.validate(readBearerToken(authorization));
    if (scope !== undefined) {
      requireScope(token, typeof scope === "function" ? scope(request) : scope);
    }
    return token;
  } catch (error) {
    if (error instanceof Error) throw error;
    // To Express, `undefined` is no error and "route" means to go on behind the guard.
    throw new Error("Cannot authenticate: what was thrown is no Error", { cause: error });
  }
}
