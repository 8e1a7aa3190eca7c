/**
 * Override: error answers.
 *
 * oidc-provider answers in HTML whenever the caller accepts it, and answers every fault of ours
 * with status 500. Here people get a page and programs get JSON, and what may succeed later has
 * status 429 or 503 with `Retry-After`. The library emits its error events after it has written its
 * answer and before Koa sends it, so the listeners replace that answer.
 */
import type { EventEmitter } from "node:events";
import { TokenRefusedError } from "@stowage/access-token";
import {
  errorText,
  isDatabaseUnavailable,
  isQueryCancelled,
  type Logger,
  OutageLines,
} from "@stowage/process";
import type Provider from "oidc-provider";
import type { ErrorOut, KoaContextWithOIDC, errors as LibraryErrors } from "oidc-provider";
import { BusyError } from "../limits/busy-error.ts";
import { errors } from "../overrides/library.ts";
import { isSignedTokenError } from "../overrides/signed-tokens.ts";
import { answerPage, messagePage, type Page } from "../pages/answer-page.ts";
import { ForeignFormError } from "./read-form.ts";
import { splitPath } from "./routes.ts";

const outageRetryAfterSeconds = 1;

/** The routes that browsers show to people. */
const pageRoutes = [
  "authorization",
  "resume",
  "code_verification",
  "device_resume",
  "end_session",
  "end_session_confirm",
  "end_session_success",
];

/** Whether a person sees the answer. The pages of our own have no route of the library. */
function isPage({ oidc }: KoaContextWithOIDC): boolean {
  return oidc === undefined || pageRoutes.includes(oidc.route);
}

/** For `renderError`: answers people with a page, and programs in JSON, whatever they accept. */
export function answerError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  if (ctx.oidc.route === "end_session" && ctx.status === 400 && ctx.search !== "") {
    // A client made a mistake, or its hint is too old. The person can still sign out: without the
    // hint, and at last without a way back to the client.
    const { id_token_hint: hint, ...rest } = ctx.query as Record<string, string>;
    const search = hint === undefined ? "" : `?${new URLSearchParams(rest)}`;
    ctx.status = 303;
    ctx.redirect(ctx.oidc.urlFor("end_session") + search);
    return;
  }
  if (isPage(ctx)) {
    answerPage(ctx, ctx.status, out.error === "server_error" ? failurePage : errorPage(out));
    return;
  }
  ctx.type = "json";
  ctx.body = out;
}

const failurePage = messagePage(
  "This does not work at the moment",
  "Please go back to where you came from, and try again.",
);

const goBack = "Go back to where you came from, and begin again.";
const expiredPage = messagePage("This page has expired", goBack);
const foreignFormPage = messagePage("This form comes from elsewhere", goBack);
const busyPage = messagePage("Too many people are signing in", "Please try again in a moment.");

function errorPage({ error, error_description: description }: ErrorOut): Page {
  return messagePage(
    "This does not work",
    "The program that sent you here made a request that is not allowed, or made it too late.",
    `Tell its makers: ${error}${description ? ` (${description})` : ""}.`,
  );
}

const errorEvents = {
  "grant.error": "refused a token request",
  "pushed_authorization_request.error": "refused a pushed request",
  "authorization.error": "refused an authorization request",
  "device_authorization.error": "refused a device",
  "code_verification.error": "refused a user code",
  "device_resume.error": "refused to continue for a device",
  "end_session.error": "refused a logout",
  "end_session_confirm.error": "refused a logout",
  "revocation.error": "refused a revocation",
  "introspection.error": "refused an introspection",
  "userinfo.error": "refused a userinfo request",
};

/** Logs a fault. `where` has no path: that may contain the ID of an interaction, also a cookie. */
export type ReportFault = (error: Error, where: Readonly<Record<string, unknown>>) => void;

/** Outages, which make many requests fail, get few lines and no stacks. */
export function createFaultReporter(logger: Logger): ReportFault {
  const failing = "cannot answer a request";
  const over = "no request has failed in the last 10 s";
  const outages = new OutageLines(logger, { failing, over });
  return (error, where) => {
    const reason = errorText(error);
    if (isOutage(error)) outages.failed(reason, { ...where, reason });
    else logger.error({ err: error, ...where }, failing);
  };
}

/** Logs errors, and answers those of ours. */
export function reportErrors(
  provider: Provider,
  { logger, reportFault }: { logger: Logger; reportFault: ReportFault },
): void {
  const events: EventEmitter = provider;
  for (const [event, message] of Object.entries(errorEvents)) {
    events.on(event, (ctx: KoaContextWithOIDC, error: LibraryErrors.OIDCProviderError) => {
      if (error instanceof BusyError && !isPage(ctx)) answerBusy(ctx, error);
      if (isSignedTokenError(error)) return;
      // A device asks every few seconds.
      if (error.error === "authorization_pending") return;
      const detail = error.error_detail ?? error.error_description;
      logger.info({ clientId: ctx.oidc.client?.clientId, error: error.error, detail }, message);
    });
  }
  events.on("server_error", (ctx: KoaContextWithOIDC, error: Error) =>
    answerFault(ctx, error, reportFault),
  );
  // Errors while an answer is sent. Without a listener, Koa would print them.
  events.on("error", (error: Error) => logger.error({ err: error }, "a request failed"));
}

/** Answers a request that may be tried again. */
function answerBusy(ctx: KoaContextWithOIDC, error: BusyError): void {
  takeBack(ctx);
  ctx.status = error.statusCode;
  ctx.set("Retry-After", String(error.retryAfterSeconds));
  if (isPage(ctx)) {
    answerPage(ctx, ctx.status, busyPage);
    return;
  }
  ctx.body = { error: error.error, error_description: error.error_description };
}

/**
 * Middleware: answers the errors of our own pages, and faults outside of any route, such as a
 * session that cannot be stored.
 */
export function handleServerErrors(reportFault: ReportFault) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    try {
      await next();
    } catch (error) {
      if (error instanceof BusyError) answerBusy(ctx, error);
      else if (error instanceof ForeignFormError) answerPage(ctx, 403, foreignFormPage);
      else if (error instanceof errors.SessionNotFound) answerPage(ctx, 400, expiredPage);
      else answerFault(ctx, error as Error, reportFault);
    }
  };
}

/**
 * Removes what the route had answered before it failed. A code, for example, may rest on a session
 * that could not be stored.
 */
function takeBack(ctx: KoaContextWithOIDC): void {
  ctx.remove("Location");
  ctx.remove("Set-Cookie");
}

/** The answer to a fault does not reveal the cause; its status is 503 during an outage. */
function answerFault(ctx: KoaContextWithOIDC, error: Error, reportFault: ReportFault): void {
  reportFault(error, { route: ctx.oidc?.route ?? splitPath(ctx.path)[0] });
  takeBack(ctx);
  ctx.status = 500;
  if (isOutage(error)) {
    ctx.status = 503;
    ctx.set("Retry-After", String(outageRetryAfterSeconds));
  }
  if (isPage(ctx)) {
    answerPage(ctx, ctx.status, failurePage);
    return;
  }
  ctx.body = {
    error: "server_error",
    error_description: "the authorisation server cannot answer now; try again later",
  };
}

/** Whether the same request may succeed later. */
function isOutage(error: Error): boolean {
  if (error instanceof TokenRefusedError) return error.status === 503;
  return isDatabaseUnavailable(error) || isQueryCancelled(error);
}
