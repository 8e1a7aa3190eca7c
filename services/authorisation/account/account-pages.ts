/**
 * Where people see and end their own sessions, withdraw what they have allowed clients, and change
 * their password. They sign in first.
 *
 * Other sites cannot send its forms: each contains a secret that is derived from a cookie, the one
 * of the session, or of the browser before there is a session. So it needs no storage, and the
 * forms of several tabs work side by side.
 */
import { hash, timingSafeEqual } from "node:crypto";
import type { KoaContextWithOIDC } from "oidc-provider";
import { beginSession, ensureBrowserCookie } from "../http/cookies.ts";
import { readForm } from "../http/read-form.ts";
import { basePathOf, providerPaths } from "../model/paths.ts";
import { answerPage, messagePage } from "../pages/answer-page.ts";
import { loginPage } from "../sign-in/login.ts";
import { findSignedIn, type SignedIn } from "../sign-in/signed-in.ts";
import { listAllowedClients } from "../store/consents.ts";
import { listSessions, sessionsMax } from "../store/list-sessions.ts";
import { type AccountOptions, accountActions } from "./account-actions.ts";
import { accountPage } from "./account-page.ts";

/** What a form has done. */
const outcomes: ReadonlyMap<string, string> = new Map([
  ["ended", "The session has ended."],
  ["others", "All other sessions have ended."],
  ["withdrawn", "You have withdrawn what you had allowed."],
  ["password", "Your password is changed, and your other sessions have ended."],
]);

/** Serves the page. */
export function accountPages(options: AccountOptions) {
  const { otherSignIn } = options;
  const { origin } = new URL(options.authUrl);
  const actions = accountActions(options);
  const address = basePathOf(options.authUrl) + providerPaths.account;
  const goTo = (ctx: KoaContextWithOIDC, done = "") => {
    ctx.status = 303;
    ctx.redirect(done === "" ? address : `${address}?done=${done}`);
  };

  async function submit(ctx: KoaContextWithOIDC, signedIn: SignedIn | undefined): Promise<void> {
    const form = await readForm(ctx.req, origin);
    const isSignIn = ["sign-in", "provider"].includes(form.get("act") ?? "");
    // Another tab has signed in or out meanwhile.
    if (isSignIn !== (signedIn === undefined)) return goTo(ctx);
    const cookie = signedIn?.session.jti ?? ctx.cookies.get(options.browserCookie.name);
    if (!isSecret(form.get("secret"), cookie)) return answerPage(ctx, 403, tooOld);
    if (signedIn !== undefined) return await act(ctx, signedIn, form);
    if (form.get("act") === "provider") return await goToProvider(ctx);
    if (await signIn(ctx, form, options)) goTo(ctx);
  }

  /** Shows the page on which people sign in. */
  async function showSignIn(ctx: KoaContextWithOIDC) {
    if (await otherSignIn?.isOnlyWay()) return await goToProvider(ctx, { isOnlyWay: true });
    const secret = secretOf(ensureBrowserCookie(ctx, options.browserCookie));
    answerPage(ctx, 200, loginPage(ownAccount, { loginName: "", secret, otherSignIn }));
  }

  async function goToProvider(ctx: KoaContextWithOIDC, { isOnlyWay = false } = {}) {
    const problem = await otherSignIn?.begin(ctx, {});
    if (problem === undefined) return;
    const secret = secretOf(ensureBrowserCookie(ctx, options.browserCookie));
    const view = { loginName: "", secret, otherSignIn, isOnlyWay, problem };
    answerPage(ctx, 503, loginPage(ownAccount, view));
  }

  async function act(ctx: KoaContextWithOIDC, signedIn: SignedIn, form: URLSearchParams) {
    const name = form.get("act") ?? "";
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) return answerPage(ctx, 400, tooOld);
    const outcome = await action(ctx, signedIn, form);
    if (outcome.problem === undefined) return goTo(ctx, outcome.done);
    await show(ctx, signedIn, options, outcome);
  }

  return async (ctx: KoaContextWithOIDC): Promise<void> => {
    const signedIn = await findSignedIn(ctx, options);
    if (ctx.method === "POST") return await submit(ctx, signedIn);
    if (signedIn !== undefined) return await show(ctx, signedIn, options);
    await showSignIn(ctx);
  };
}

const ownAccount = "your account";
const tooOld = messagePage("This page has expired", "Go back, load the page again, and try again.");

async function show(
  ctx: KoaContextWithOIDC,
  { account, session }: SignedIn,
  { pool }: AccountOptions,
  { problem, status = 200 }: { problem?: string; status?: number } = {},
): Promise<void> {
  const page = accountPage({
    loginName: account.loginName,
    sessions: await listSessions(pool, { subject: String(session.accountId) }, sessionsMax),
    ownSessionUid: session.uid,
    clients: await listAllowedClients(pool, account.accountId),
    secret: secretOf(session.jti),
    done: problem === undefined ? outcomes.get(String(ctx.query.done)) : undefined,
    problem,
    hasPassword: account.isOfProvider !== true,
  });
  answerPage(ctx, status, page);
}

/** Signs in for this page. Returns false if it has shown the form again. */
async function signIn(
  ctx: KoaContextWithOIDC,
  form: URLSearchParams,
  options: AccountOptions,
): Promise<boolean> {
  const loginName = form.get("login_name") ?? "";
  const password = form.get("password") ?? "";
  const outcome = await options.signIn(ctx, { loginName, password, organisationId: undefined });
  if ("problem" in outcome) {
    const secret = secretOf(ensureBrowserCookie(ctx, options.browserCookie));
    const view = { loginName, secret, otherSignIn: options.otherSignIn, ...outcome };
    answerPage(ctx, outcome.status, loginPage(ownAccount, view));
    return false;
  }
  const { account, ts } = outcome;
  await beginSession(ctx, options, { accountId: account.accountId, ts, amr: ["pwd"] });
  return true;
}

function secretOf(cookie: string): string {
  return hash("sha256", `form of the account page ${cookie}`, "base64url");
}

function isSecret(given: string | null, cookie: string | undefined): boolean {
  if (!cookie) return false;
  const expected = Buffer.from(secretOf(cookie));
  const shown = Buffer.from(given ?? "");
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}
