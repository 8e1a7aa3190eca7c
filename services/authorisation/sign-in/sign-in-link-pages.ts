/** The pages of links that sign a person in once. */
import type { Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";
import type { SignInLink } from "../store/sign-in-links.ts";

/** The page with the button. `other`: who is signed in with this browser, and will not be then. */
export function confirmPage(
  { loginName, returnTo }: SignInLink,
  other: { loginName: string } | undefined,
): Page {
  return {
    title: `Sign in as ${loginName}`,
    leadsBack: true,
    body: html`<h1>Sign in as ${loginName}</h1>
<p class="quiet">to continue to ${new URL(returnTo).host}</p>
<p>Continue only if you have asked for this link yourself.</p>
${
  other !== undefined &&
  html`<p>You are signed in as ${other.loginName}, and will be signed out.</p>\n`
}<form method="post">
<div class="buttons">
<button>Sign in as ${loginName}</button>
</div>
</form>`,
  };
}

const anotherOne = html`<p>The operator of the service can make another one with the
command <code>stowage accounts sign-in-link</code>, and npm start prints one at each start.</p>`;

export function usedLinkPage({ returnTo }: SignInLink): Page {
  return {
    title: "This link has been used",
    body: html`<h1>This link has been used</h1>
<p>It signs in once.</p>
${anotherOne}
<p>With a password you can <a href="${returnTo}">go on to ${new URL(returnTo).host}</a>.</p>`,
  };
}

/** The page for links that are not on record. `account` is the address where people sign in. */
export function invalidLinkPage(account: string): Page {
  return {
    title: "This link does not work",
    body: html`<h1>This link does not work</h1>
<p>It has expired, has been used, or is not complete. Links to sign in are valid for 10 minutes.</p>
${anotherOne}
<p>With a password you can <a href="${account}">sign in to your account</a>.</p>`,
  };
}
