/** How errors leave the provider: as JSON to the caller, with their cause to the log only. */
import type { EventEmitter } from "node:events";
import { TokenRefusedError } from "@stowage/access-token";
import { isDatabaseUnavailable, type Logger } from "@stowage/process";
import type Provider from "oidc-provider";
import type { ErrorOut, KoaContextWithOIDC, errors as libraryErrors } from "oidc-provider";
import { answerPage, messagePage, type Page } from "../pages/answer-page.ts";
import { errors } from "./library.ts";

const retryAfterSeconds = 1;

/** Where a browser shows to people what is answered. */
const pageRoutes = [
  "authorization",
  "resume",
  "end_session",
  "end_session_confirm",
  "end_session_success",
];

/** Answers people with a page, and programs in JSON, whatever they accept. */
export function answerError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  if (pageRoutes.includes(ctx.oidc.route)) {
    answerPage(ctx, ctx.status, out.error === "server_error" ? failurePage : refusalPage(out));
    return;
  }
  ctx.type = "json";
  ctx.body = out;
}

const failurePage = messagePage(
  "This does not work at the moment",
  "Please go back to where you came from, and try again.",
);

function refusalPage({ error, error_description: description }: ErrorOut): Page {
  return messagePage(
    "This does not work",
    "The program that sent you here has asked for something that it may not, or too late.",
    `Tell its makers: ${error}${description ? ` (${description})` : ""}.`,
  );
}

/** Logs refusals and errors, and gives errors of ours an answer that tells nothing of the cause. */
export function reportErrors(provider: Provider, logger: Logger): void {
  const events: EventEmitter = provider;
  for (const [event, message] of Object.entries(refusalEvents)) {
    events.on(event, (ctx: KoaContextWithOIDC, error: libraryErrors.OIDCProviderError) => {
      if (error instanceof BusyError) answerBusy(ctx, error);
      if (error.error_description === grantNotAllowed) nameAsTheStandardDoes(ctx);
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

  // Errors while an answer is sent; without a listener, Koa would print them.
  events.on("error", (error: Error) => logger.error({ err: error }, "a request failed"));
}

const grantNotAllowed = "requested grant type is not allowed for this client";

/** RFC 6749 section 5.2 has a code of its own for this, which oidc-provider does not use. */
function nameAsTheStandardDoes(ctx: KoaContextWithOIDC): void {
  ctx.body = { error: "unauthorized_client", error_description: grantNotAllowed };
}

const refusalEvents = {
  "grant.error": "refused a token request",
  "pushed_authorization_request.error": "refused a pushed request",
  "authorization.error": "refused an authorization request",
  "end_session.error": "refused a logout",
  "end_session_confirm.error": "refused a logout",
  "revocation.error": "refused a revocation",
  "introspection.error": "refused an introspection",
};

/** Answers a request that may be tried again. */
export function answerBusy(ctx: KoaContextWithOIDC, error: BusyError): void {
  ctx.status = error.statusCode;
  ctx.set("Retry-After", String(error.retryAfterSeconds));
  ctx.body = { error: error.error, error_description: error.error_description };
}

/** Middleware: faults outside of any route, as when a session cannot be stored afterwards. */
export function answerFaults(logger: Logger) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    try {
      await next();
    } catch (error) {
      answerFault(ctx, error as Error, logger);
    }
  };
}

/** Logs a fault, and answers with nothing of its cause: 503 where trying again may help. */
export function answerFault(ctx: KoaContextWithOIDC, error: Error, logger: Logger): void {
  // Not the path: it may hold the ID of somebody's request, which a cookie of theirs is too.
  logger.error({ err: error, route: ctx.oidc?.route }, "cannot answer a request");
  ctx.status = 500;
  if (isOutage(error)) {
    ctx.status = 503;
    ctx.set("Retry-After", String(retryAfterSeconds));
  }
  const out = {
    error: "server_error",
    error_description: "the authorisation server cannot answer now; try again later",
  };
  if (pageRoutes.includes(ctx.oidc?.route)) answerPage(ctx, ctx.status, failurePage);
  else ctx.body = out;
}

/** Whether trying again may help. */
export function isOutage(error: Error): boolean {
  return error instanceof TokenRefusedError ? error.status === 503 : isDatabaseUnavailable(error);
}

/** 429: the caller asks too often. 503: we have too much to do. Answered with `Retry-After`. */
export class BusyError extends errors.CustomOIDCProviderError {
  readonly retryAfterSeconds: number;

  constructor(status: 429 | 503, description: string, retryAfterSeconds: number) {
    super("temporarily_unavailable", description);
    Object.assign(this, { status, statusCode: status });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The error with which oidc-provider refuses a token that is a JWT; nothing else there has it. */
export const structuredTokenError = "unsupported_token_type";
