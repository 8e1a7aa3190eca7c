/** Where people allow a client to act for them, or do not. */
import type { Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";

/** What is on it. */
export interface ConsentView {
  clientName: string;
  /** Who is signed in. */
  loginName: string;
  /** Where the person is sent once they have decided. */
  returnsTo: string;
  /** What is asked for, a sentence each. */
  wishes: readonly string[];
  /** What that is limited to, a sentence each; empty: to nothing. */
  limits: readonly string[];
  /** The resource servers it is for. */
  resources: readonly string[];
}

/** Makes the page. Its form goes to where the page is. */
export function consentPage(view: ConsentView): Page {
  return {
    title: `Allow ${view.clientName}?`,
    body: html`<h1>Allow ${view.clientName}?</h1>
<p class="quiet">You are signed in as ${view.loginName}.</p>
<h2 id="wishes">${view.clientName} asks to:</h2>
<ul aria-labelledby="wishes">
${items(view.wishes)}</ul>
${
  view.limits.length > 0 &&
  html`<h2 id="limits">Of all that, only this:</h2>
<ul aria-labelledby="limits">
${items(view.limits)}</ul>
`
}<h2 id="resources">It may do so at:</h2>
<ul aria-labelledby="resources">
${items(view.resources)}</ul>
<p class="quiet after">When you have decided, you are sent to ${view.returnsTo}.</p>
<form method="post">
<div class="buttons">
<button name="act" value="allow">Allow</button>
<button class="second" name="act" value="deny">Do not allow</button>
</div>
</form>`,
  };
}

function items(texts: readonly string[]) {
  return texts.map((text) => html`<li>${text}</li>\n`);
}
