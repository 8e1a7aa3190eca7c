/** The pages on which people enter the code of their device, and allow its request or decline. */
import type { Page } from "../pages/answer-page.ts";
import { type Html, html } from "../pages/html.ts";

/** Where a form is sent, and the secret that proves that it is ours. */
interface Form {
  action: string;
  xsrf: string;
}

/** The page with the field for the code. `problem` says what is wrong with the last one. */
export function codePage(view: { userCode: string; form: Form; problem?: string }): Page {
  const { userCode, form, problem } = view;
  const isWrong = problem !== undefined;
  return {
    title: isWrong ? "Error: Sign in on a device" : "Sign in on a device",
    body: html`<h1>Sign in on a device</h1>
<p class="quiet">Enter the code that your device shows.</p>
${
  isWrong &&
  html`<div class="problem" role="alert" aria-labelledby="problem-title">
<h2 id="problem-title">This code cannot be used</h2>
<p id="problem-text"><a href="#user-code">${problem}</a></p>
</div>
`
}<form method="post" action="${form.action}">
<input type="hidden" name="xsrf" value="${form.xsrf}">
<label for="user-code">Code</label>
<input id="user-code" name="user_code" type="text" value="${userCode}" required maxlength="32"
  autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus${
    isWrong && html` aria-invalid="true" aria-describedby="problem-text"`
  }>
<div class="buttons">
<button>Continue</button>
</div>
</form>`,
  };
}

/** What the page of {@link confirmPage} shows. */
interface ConfirmView {
  clientName: string;
  userCode: string;
  /** The address that the request came from. */
  address: string;
  /** What the client asks for. */
  asked: Html;
  form: Form;
}

/**
 * The page on which a person compares the codes. Others may have sent the person here, with a code
 * of their own device (RFC 8628 section 5.4), so it says what to look at.
 */
export function confirmPage({ clientName, userCode, address, asked, form }: ConfirmView): Page {
  return {
    title: `Continue with ${clientName}?`,
    body: html`<h1>Continue with ${clientName}?</h1>
<p class="quiet">The request came from the address ${address}.</p>
<p>Continue only if you have started it yourself, and your device shows this code:</p>
<p class="code">${userCode}</p>
${asked}
<form method="post" action="${form.action}">
<input type="hidden" name="xsrf" value="${form.xsrf}">
<input type="hidden" name="user_code" value="${userCode}">
<div class="buttons">
<button name="confirm" value="yes">Continue</button>
<button class="second" name="abort" value="yes">Do not allow</button>
</div>
</form>`,
  };
}
