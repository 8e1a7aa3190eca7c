/** `GET /sign-in?return=/…`: sends the browser to the issuer. */
import * as oauth from "oauth4webapi";
import { type Handle, redirect, sendPage } from "../http/answer.ts";
import type { Issuer } from "../issuer/issuer.ts";
import { readReturnPath, returnNeed } from "../model/return-path.ts";
import type { PendingSignIns } from "./pending.ts";

interface BeginOptions {
  readonly issuer: Pick<Issuer, "authorizationUrl">;
  readonly pending: PendingSignIns;
  /** The page's own origin. */
  readonly origin: string;
}

export function beginSignIn({ issuer, pending, origin }: BeginOptions): Handle {
  return async (request, response) => {
    const parameters = new URL(request.url ?? "/", origin).searchParams;
    const returnPath = readReturnPath(parameters.get("return") ?? "/", origin);
    if (returnPath === undefined) {
      sendPage(response, 400, {
        title: "This link is not valid",
        text: `The parameter "return" must be ${returnNeed}.`,
        link: { href: "/sign-in", text: "Sign in" },
      });
      return;
    }
    // An image of another page must not push the sign-ins of other tabs out.
    if (request.headers["sec-fetch-dest"] !== "document") {
      sendPage(response, 403, {
        title: "This address is for a window of a browser",
        text: "Open it in a window or tab of a current browser.",
        link: { href: "/sign-in", text: "Sign in" },
      });
      return;
    }
    const signIn = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      codeVerifier: oauth.generateRandomCodeVerifier(),
      returnPath,
      beganAtMs: Date.now(),
    };
    const url = await issuer.authorizationUrl(signIn);
    const cookies = pending.add(signIn, request.headers.cookie);
    redirect(response, url, { "Set-Cookie": cookies, "Referrer-Policy": "no-referrer" });
  };
}
