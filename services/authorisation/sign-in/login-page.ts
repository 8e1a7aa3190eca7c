/** Where people sign in. It works without JavaScript, by keyboard, and read aloud. */
import type { Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";

/** What is on it. */
export interface LoginView {
  /** Which program sends the person here. */
  clientName: string;
  /** What the field holds already. */
  loginName: string;
  /** What is wrong with the attempt before, if anything. */
  problem?: string | undefined;
}

/** Makes the page. Its form goes to where the page is. */
export function loginPage({ clientName, loginName, problem }: LoginView): Page {
  const isWrong = problem !== undefined;
  const invalid = isWrong && html` aria-invalid="true" aria-describedby="problem-text"`;
  // A name that is there already is most likely right: the password is what to type next.
  const [nameFocus, passwordFocus] =
    loginName === "" ? [html` autofocus`, undefined] : [undefined, html` autofocus`];
  return {
    title: isWrong ? "Error: Sign in" : "Sign in",
    body: html`<h1>Sign in</h1>
<p class="quiet">to continue to ${clientName}</p>
${
  isWrong &&
  html`<div class="problem" role="alert" aria-labelledby="problem-title">
<h2 id="problem-title">You are not signed in</h2>
<p id="problem-text"><a href="#login-name">${problem}</a></p>
</div>
`
}<form method="post">
<label for="login-name">Login name</label>
<input id="login-name" name="login_name" type="text" value="${loginName}" required maxlength="128"
  autocomplete="username" autocapitalize="none" spellcheck="false"${invalid}${nameFocus}>
<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="256"
  autocomplete="current-password"${invalid}${passwordFocus}>
<div class="buttons">
<button name="act" value="sign-in">Sign in</button>
<button class="second" name="act" value="cancel" formnovalidate>Cancel</button>
</div>
</form>`,
  };
}
