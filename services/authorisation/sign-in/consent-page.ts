/** The page on which people allow a client to act for them, or decline. */
import type { Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";

/** What the page shows. */
interface ConsentView {
  clientName: string;
  /** Who is signed in. */
  loginName: string;
  /** The host that the person is redirected to after the decision. */
  returnsTo: string;
  /** What the client asks for, a sentence each. */
  scopes: readonly string[];
  /** The limits of that, a sentence each; empty: no limit. */
  limits: readonly string[];
  /** The resource servers it is for. */
  resources: readonly string[];
}

/** Makes the page. Its form is sent to the address of the page. */
export function consentPage(view: ConsentView): Page {
  return {
    title: `Allow ${view.clientName}?`,
    body: html`<h1>Allow ${view.clientName}?</h1>
<p class="quiet">You are signed in as ${view.loginName}.</p>
<h2 id="scopes">${view.clientName} asks to:</h2>
<ul aria-labelledby="scopes">
${items(view.scopes)}</ul>
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
