/** How errors leave the provider: as JSON to the caller, with their cause to the log only. */
import type { EventEmitter } from "node:events";
import { TokenRefusedError } from "@stowage/access-token";
import { isDatabaseUnavailable, type Logger } from "@stowage/process";
import type Provider from "oidc-provider";
import type { ErrorOut, errors, KoaContextWithOIDC } from "oidc-provider";
import { BusyError } from "./busy-error.ts";
import { structuredTokenError } from "./structured-token-error.ts";

const retryAfterSeconds = 1;

/** Answers in JSON where oidc-provider would render a page, as it does for browsers. */
export function answerInJson(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  ctx.type = "json";
  ctx.body = out;
}

/** Logs refusals and errors, and gives errors of ours an answer that tells nothing of the cause. */
export function reportErrors(provider: Provider, logger: Logger): void {
  const events: EventEmitter = provider;
  for (const [event, message] of Object.entries(refusalEvents)) {
    events.on(event, (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
      if (error instanceof BusyError) answerBusy(ctx, error);
      // Not a refusal: see shown-tokens.ts.
      if (error.error === structuredTokenError) return;
      logger.info(
        {
          clientId: ctx.oidc.client?.clientId,
          error: error.error,
          detail: error.error_detail ?? error.error_description,
        },
        message,
      );
    });
  }

  provider.on("server_error", (ctx: KoaContextWithOIDC, error: Error) =>
    answerFault(ctx, error, logger),
  );

  // Errors outside of any route; without a listener, Koa would print them.
  events.on("error", (error: Error) => logger.error({ err: error }, "a request failed"));
}

const refusalEvents = {
  "grant.error": "refused a token request",
  "revocation.error": "refused a revocation",
  "introspection.error": "refused an introspection",
};

/** Answers a request that may be tried again. */
export function answerBusy(ctx: KoaContextWithOIDC, error: BusyError): void {
  ctx.status = error.statusCode;
  ctx.set("Retry-After", String(error.retryAfterSeconds));
  ctx.body = { error: error.error, error_description: error.error_description };
}

/** Logs a fault, and answers with nothing of its cause: 503 where trying again may help. */
export function answerFault(ctx: KoaContextWithOIDC, error: Error, logger: Logger): void {
  logger.error({ err: error, path: ctx.path }, "cannot answer a request");
  ctx.status = 500;
  if (isOutage(error)) {
    ctx.status = 503;
    ctx.set("Retry-After", String(retryAfterSeconds));
  }
  ctx.body = {
    error: "server_error",
    error_description: "the authorisation server cannot answer now; try again later",
  };
}

function isOutage(error: Error): boolean {
  return error instanceof TokenRefusedError ? error.status === 503 : isDatabaseUnavailable(error);
}
