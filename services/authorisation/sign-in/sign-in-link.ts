/**
 * The address of links that sign a person in once, as `stowage accounts sign-in-link` makes them.
 *
 * Opening a link shows a page with a button, which signs in: mail filters and browsers open links
 * before a person does, and other sites may lead people to them. On this machine, where `npm start`
 * prints links, a link that a person opens signs in at once. Fetch Metadata tells that.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Counter } from "@prometheus-io/client";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import { type BrowserCookie, beginSession } from "../http/cookies.ts";
import { readForm } from "../http/read-form.ts";
import type { Lifetimes } from "../model/lifetimes.ts";
import { basePathOf, providerPaths } from "../model/paths.ts";
import { subjectOf } from "../model/subjects.ts";
import { answerPage } from "../pages/answer-page.ts";
import { recordEvent } from "../store/audit-events.ts";
import { findSignInLink, type SignInLink, useSignInLink } from "../store/sign-in-links.ts";
import { endSessionOfPerson } from "./end-session.ts";
import { confirmPage, invalidLinkPage, usedLinkPage } from "./sign-in-link-pages.ts";
import { findSignedIn, type SignedIn } from "./signed-in.ts";

interface SignInLinkOptions {
  provider: Provider;
  /** The issuer. */
  authUrl: string;
  pool: pg.Pool;
  browserCookie: BrowserCookie;
  lifetimes: Lifetimes;
  signIns: Counter<"result">;
}

/** 256 random bits in base64url. */
const secretPattern = /^[\w-]{43}$/;

/** Serves the address. */
export function signInLinkPages(options: SignInLinkOptions) {
  const { authUrl, pool } = options;
  const { origin, hostname } = new URL(authUrl);
  const isLocal = ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
  const account = basePathOf(authUrl) + providerPaths.account;

  async function answer(ctx: KoaContextWithOIDC): Promise<void> {
    const secret = String(ctx.query.key);
    const link = secretPattern.test(secret) ? await findSignInLink(pool, secret) : undefined;
    if (link === undefined) return answerPage(ctx, 400, invalidLinkPage(account));
    const signedIn = await findSignedIn(ctx, options);
    const other = otherThan(link, signedIn);
    if (link.isUsed) {
      // It leads the person who is signed in already to its address, and does nothing else.
      const isTheirs = signedIn !== undefined && other === undefined;
      return isTheirs ? goOn(ctx, link) : answerPage(ctx, 400, usedLinkPage(link));
    }
    const isDirect = isLocal && other === undefined && isOpenedByPerson(ctx);
    const isAsked = ctx.method === "POST" || isDirect;
    if (!isAsked) return answerPage(ctx, 200, confirmPage(link, other));
    await signIn(ctx, secret, signedIn);
  }

  async function signIn(ctx: KoaContextWithOIDC, secret: string, signedIn: SignedIn | undefined) {
    // Before the link is used up: the account may be signed out everywhere meanwhile.
    const ts = Math.floor(Date.now() / 1000);
    const link = await useSignInLink(pool, secret);
    if (link === undefined) return answerPage(ctx, 400, invalidLinkPage(account));
    const { accountId } = link;
    options.signIns.inc({ result: "accepted" });
    const used = { subject: subjectOf(accountId), address: ctx.ip };
    await recordEvent(pool, { kind: "sign_in_link_used", ...used });
    if (signedIn === undefined || otherThan(link, signedIn) !== undefined) {
      if (signedIn !== undefined) await endSessionOf(ctx, signedIn);
      // RFC 8176 has no name for this. "otp" would promise a second factor.
      await beginSession(ctx, options, { accountId, ts, amr: ["link"] });
    }
    goOn(ctx, link);
  }

  async function endSessionOf(ctx: KoaContextWithOIDC, { session }: SignedIn): Promise<void> {
    const ended = { sessionUid: session.uid, subject: String(session.accountId) };
    await endSessionOfPerson(pool, ended, (event) =>
      recordEvent(pool, { ...event, address: ctx.ip }),
    );
  }

  return async (ctx: KoaContextWithOIDC): Promise<void> => {
    if (ctx.method === "POST") await readForm(ctx.req, origin);
    await answer(ctx);
  };
}

/** The person who is signed in with this browser, unless that is the one whom the link signs in. */
function otherThan({ accountId }: SignInLink, signedIn: SignedIn | undefined) {
  return signedIn?.account.accountId === accountId ? undefined : signedIn?.account;
}

/** Whether a person entered the address, or followed a link outside of the browser. */
function isOpenedByPerson(ctx: KoaContextWithOIDC): boolean {
  const { headers }: { headers: IncomingHttpHeaders } = ctx.req;
  return (
    ctx.method === "GET" &&
    headers["sec-fetch-site"] === "none" &&
    headers["sec-fetch-mode"] === "navigate" &&
    headers["sec-fetch-dest"] === "document" &&
    // Browsers load pages in advance that a person may never open.
    headers["sec-purpose"] === undefined
  );
}

/** Leads to the address of the link. */
function goOn(ctx: KoaContextWithOIDC, { returnTo }: SignInLink): void {
  ctx.set("Cache-Control", "no-store");
  ctx.set("Referrer-Policy", "no-referrer");
  ctx.status = 303;
  ctx.redirect(returnTo);
}
