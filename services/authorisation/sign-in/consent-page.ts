/** The page on which people allow a client to act for them, or decline. */
import type { Page } from "../pages/answer-page.ts";
import { type Html, html } from "../pages/html.ts";

/** What the page shows. */
interface ConsentView {
  clientName: string;
  /** Who is signed in. */
  loginName: string;
  /** What the client asks for. */
  asked: Html;
  /** Where the person goes after the decision, as the end of a sentence. */
  next: string;
}

/** Makes the page. Its form is sent to the address of the page. */
export function consentPage({ clientName, loginName, asked, next }: ConsentView): Page {
  return {
    title: `Allow ${clientName}?`,
    leadsBack: true,
    body: html`<h1>Allow ${clientName}?</h1>
<p class="quiet">You are signed in as ${loginName}.</p>
${asked}
<p class="quiet after">When you have decided, ${next}.</p>
<form method="post">
<div class="buttons">
<button name="act" value="allow">Allow</button>
<button class="second" name="act" value="deny">Do not allow</button>
</div>
</form>`,
  };
}
