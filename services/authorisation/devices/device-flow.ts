/**
 * The device authorization grant (RFC 8628). A program on a device without a browser shows a code,
 * and its user enters the code in a browser elsewhere.
 */
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { BusyError } from "../limits/busy-error.ts";
import { answerPage, messagePage } from "../pages/answer-page.ts";
import { describeRequest, type RequestParameters } from "../sign-in/describe-request.ts";
import { codePage, confirmPage } from "./device-pages.ts";

/** The feature of the provider's configuration. `authUrl` is the issuer. */
export function deviceFlow(authUrl: string) {
  return {
    enabled: true,
    // 20^8 codes, 34 bits: with the limits on wrong codes, enough (RFC 8628 section 5.1).
    charset: "base-20",
    mask: "****-****",
    deviceInfo: (ctx) => ({ address: ctx.ip }),
    userCodeInputSource: (ctx, _form, _out, error) => answerCodePage(ctx, error),
    async userCodeConfirmSource(ctx, _form, client, deviceInfo, userCode) {
      const clientName = client.clientName ?? client.clientId;
      const params = ctx.oidc.entities.DeviceCode?.params as RequestParameters;
      const page = confirmPage({
        clientName,
        userCode,
        address: String(deviceInfo.address),
        asked: describeRequest(clientName, params, authUrl),
        form: formOf(ctx),
      });
      answerPage(ctx, 200, page);
    },
    async successSource(ctx) {
      const clientName = ctx.oidc.client?.clientName ?? "the program";
      const text = `${clientName} continues on your device. You can close this page.`;
      answerPage(ctx, 200, messagePage("You have signed in", text));
    },
  } satisfies NonNullable<Configuration["features"]>["deviceFlow"];
}

const beginAgain = "Begin again on your device.";

/** Answers with the page on which people enter the code, or says why they cannot. */
async function answerCodePage(ctx: KoaContextWithOIDC, error: Error | undefined): Promise<void> {
  const { user_code: userCode = "" } = ctx.oidc.params as { user_code?: string };
  const form = formOf(ctx);
  if (error === undefined) return answerPage(ctx, 200, codePage({ userCode, form }));
  if (error.name === "AbortedError") {
    return answerPage(ctx, 200, messagePage("You have not allowed it", "You can close this page."));
  }
  const problem = ctx.oidc.route === "code_verification" ? problemOf(error) : undefined;
  if (problem === undefined) {
    const status = ctx.status === 200 ? 400 : ctx.status;
    return answerPage(ctx, status, messagePage("This page has expired", beginAgain));
  }
  if (error instanceof BusyError) ctx.set("Retry-After", String(error.retryAfterSeconds));
  const status = error instanceof BusyError ? error.statusCode : 400;
  answerPage(ctx, status, codePage({ userCode, form, problem }));
}

/** The problem that the person can solve on the page; undefined: none. */
function problemOf(error: Error): string | undefined {
  if (error instanceof BusyError) {
    return `There were too many wrong codes. Try again in ${error.retryAfterSeconds} seconds.`;
  }
  // The form of another page that was opened before: each page has a secret of its own.
  if (error.name === "InvalidRequest") return "This page was too old. Try again.";
  if (error.name === "NoCodeError") return "Enter the code.";
  const isOfCode = ["NotFoundError", "ExpiredError", "AlreadyUsedError"].includes(error.name);
  return isOfCode ? "This code is wrong, has expired, or was used already." : undefined;
}

function formOf(ctx: KoaContextWithOIDC) {
  const { session } = ctx.oidc;
  const xsrf = String((session?.state as { secret?: string } | undefined)?.secret);
  return { action: ctx.oidc.urlFor("code_verification"), xsrf };
}
