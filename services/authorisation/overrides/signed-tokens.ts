/**
 * Override: revocation (RFC 7009) and introspection (RFC 7662) of access tokens that are JWTs.
 *
 * oidc-provider stores no JWTs, so it answers `unsupported_token_type`. It does so after it has
 * authenticated the client, as the last check before it would look up the token. This replaces that
 * answer: no request without an authenticated client gets here. The policies of both features, its
 * only hooks, are asked about stored tokens alone.
 */
import type { Client, KoaContextWithOIDC } from "oidc-provider";

/** Answers for a token. The client is authenticated. Returns the body of an answer with 200. */
export type TokenAction = (token: string, client: Client) => Promise<unknown>;

/** The error code that the library uses for JWTs and nothing else. */
const signedTokenError = "unsupported_token_type";

/** Whether the library found that a token is a JWT. */
export function isSignedTokenError(answer: unknown): boolean {
  return (answer as { error?: string } | undefined)?.error === signedTokenError;
}

/** Middleware: answers both routes for tokens that are JWTs. */
export function answerForSignedTokens(
  actions: Readonly<Record<"revocation" | "introspection", TokenAction>>,
) {
  const actionOf: Readonly<Record<string, TokenAction>> = actions;

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const action = actionOf[ctx.oidc?.route ?? ""];
    if (action === undefined) return;
    ctx.set("Cache-Control", "no-store");
    if (isSignedTokenError(ctx.body)) {
      const { client, params } = ctx.oidc;
      if (client === undefined) throw new Error("Cannot judge a token: no client is authenticated");
      ctx.body = await action(String(params?.token), client);
      ctx.status = 200;
    }
    // Clients that expect JSON refuse the type that Koa gives to an empty text.
    if (ctx.body === "") ctx.remove("Content-Type");
  };
}
