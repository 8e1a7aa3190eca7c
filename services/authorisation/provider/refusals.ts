/** How errors leave the provider: as JSON to the caller, with their cause to the log only. */
import type { EventEmitter } from "node:events";
import { isDatabaseUnavailable, type Logger } from "@stowage/process";
import type Provider from "oidc-provider";
import type { ErrorOut, errors, KoaContextWithOIDC } from "oidc-provider";

const retryAfterSeconds = 1;

/** Answers in JSON where oidc-provider would render a page, as it does for browsers. */
export function answerInJson(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  ctx.type = "json";
  ctx.body = out;
}

/** Logs refusals and errors, and gives errors of ours an answer that tells nothing of the cause. */
export function reportErrors(provider: Provider, logger: Logger): void {
  provider.on("grant.error", (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
    logger.info(
      {
        clientId: ctx.oidc.client?.clientId,
        error: error.error,
        detail: error.error_detail ?? error.error_description,
      },
      "refused a token request",
    );
  });

  provider.on("server_error", (ctx: KoaContextWithOIDC, error: Error) => {
    logger.error({ err: error, path: ctx.path }, "cannot answer a request");
    if (isDatabaseUnavailable(error)) {
      ctx.status = 503;
      ctx.set("Retry-After", String(retryAfterSeconds));
    }
    ctx.body = {
      error: "server_error",
      error_description: "the authorisation server cannot answer now; try again later",
    };
  });

  // Errors outside of any route; without a listener, Koa would print them.
  const events: EventEmitter = provider;
  events.on("error", (error: Error) => logger.error({ err: error }, "a request failed"));
}
