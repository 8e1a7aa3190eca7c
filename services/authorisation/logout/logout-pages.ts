/** The pages on which people sign out: without JavaScript, usable by keyboard and read aloud. */
import type { Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";
import { messagePage } from "../pages/message-page.ts";

/** A form that goes on, and what proves that it is ours. */
export interface LogoutForm {
  /** Where it goes. */
  action: string;
  xsrf: string;
}

/** Asks whether to sign out. */
export function logoutPage(
  view: LogoutForm & {
    /** Who is signed in. */
    loginName: string;
    /** Which program sends the person here; undefined where it does not say. */
    clientName: string | undefined;
  },
): Page {
  const { clientName } = view;
  return {
    title: "Sign out?",
    body: html`<h1>Sign out?</h1>
<p class="quiet">You are signed in as ${view.loginName}.</p>
<p>Signing out ends your session here, and in every program that you have signed in to with it.</p>
${form(
  view,
  html`<button name="logout" value="yes">Sign out</button>
${clientName && html`<button class="second">Sign out of ${clientName} only</button>\n`}`,
)}`,
  };
}

/** What comes after it, where the program named no place to go. */
export function signedOutPage(clientName: string | undefined): Page {
  const where = clientName === undefined ? "" : ` of ${clientName}`;
  return messagePage(`You are signed out${where}`, "You can close this page.");
}

/** Where there is nobody to sign out. */
export function nobodyPage(view: LogoutForm): Page {
  return goOnPage("You are not signed in", "There is nothing to sign out of.", view);
}

/** Where somebody signs in while somebody else still is. */
export function otherPersonPage(view: LogoutForm): Page {
  const text = "To go on with the account that you have just signed in with, end that session.";
  return goOnPage("Somebody else is signed in in this browser", text, view);
}

function goOnPage(title: string, text: string, view: LogoutForm): Page {
  return {
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${form(view, html`<button name="logout" value="yes">Go on</button>\n`)}`,
  };
}

function form({ action, xsrf }: LogoutForm, buttons: ReturnType<typeof html>) {
  return html`<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<div class="buttons">
${buttons}</div>
</form>`;
}
