/** The page on which people see who has access on their behalf, and change their password. */
import { describeScopes } from "../model/scopes.ts";
import type { Page } from "../pages/answer-page.ts";
import { type Html, html } from "../pages/html.ts";
import type { AllowedClient } from "../store/consents.ts";
import type { ListedSession } from "../store/list-sessions.ts";

/** What the page shows. */
interface AccountView {
  loginName: string;
  sessions: readonly ListedSession[];
  /** The session of this browser. */
  ownSessionUid: string;
  clients: readonly AllowedClient[];
  /** Proves that a form is ours. */
  secret: string;
  /** What the last form has done. */
  done?: string | undefined;
  /** Why the password was not changed. */
  problem?: string | undefined;
  /** Whether there is one to change. */
  hasPassword: boolean;
}

export function accountPage(view: AccountView): Page {
  const { loginName, done, problem } = view;
  return {
    title: problem === undefined ? "Your account" : "Error: Your account",
    body: html`<h1>Your account</h1>
<p class="quiet">You are signed in as ${loginName}.</p>
${done && html`<p role="status">${done}</p>\n`}${sessionsPart(view)}
${clientsPart(view)}
${view.hasPassword && passwordPart(view)}`,
  };
}

function sessionsPart(view: AccountView): Html {
  const { sessions, ownSessionUid, secret } = view;
  const items = sessions.map(({ sessionUid, signedInAt, clients }) => {
    const isOwn = sessionUid === ownSessionUid;
    const names = clients.map(({ clientId, name }) => name || clientId).join(", ");
    const label = `End the session of ${timeText(signedInAt)}`;
    return html`<li><p>Signed in on ${time(signedInAt)}${isOwn && html` (<b>this browser</b>)`}${
      names && html`<br><span class="quiet">Used by ${names}</span>`
    }</p>
${form(secret, "end-session", {
  field: ["session", sessionUid],
  button: html`<button class="second" aria-label="${label}">End</button>`,
})}</li>
`;
  });
  const others = form(secret, "end-others", {
    button: html`<button class="second">End all others</button>`,
  });
  return html`<h2 id="sessions">Where you are signed in</h2>
<ul class="rows" aria-labelledby="sessions">
${items}</ul>
${sessions.length > 1 && others}`;
}

function clientsPart({ clients, secret }: AccountView): Html {
  const items = clients.map(({ clientId, name, scopes, givenAt }) => {
    const shownName = name || clientId;
    return html`<li><p><b>${shownName}</b><br><span class="quiet">Since ${time(givenAt)}</span></p>
<ul>
${describeScopes(scopes).map((text) => html`<li>${text}</li>\n`)}</ul>
${form(secret, "withdraw", {
  field: ["client", clientId],
  button: html`<button class="second" aria-label="Withdraw from ${shownName}">Withdraw</button>`,
})}</li>
`;
  });
  return html`<h2 id="clients">What you have allowed</h2>
${
  clients.length === 0
    ? html`<p>You have not allowed any program anything.</p>`
    : html`<ul class="rows" aria-labelledby="clients">\n${items}</ul>`
}`;
}

function passwordPart({ loginName, secret, problem }: AccountView): Html {
  const invalid =
    problem !== undefined && html` aria-invalid="true" aria-describedby="problem-text" autofocus`;
  return html`<h2>Change your password</h2>
<p class="quiet">This ends your other sessions, and signs out every program that uses your
account.</p>
${
  problem !== undefined &&
  html`<div class="problem" role="alert" aria-labelledby="problem-title">
<h2 id="problem-title">Your password is unchanged</h2>
<p id="problem-text"><a href="#password">${problem}</a></p>
</div>
`
}<form method="post">
<input type="hidden" name="secret" value="${secret}">
<input type="text" value="${loginName}" autocomplete="username" readonly hidden>
<label for="password">Password now</label>
<input id="password" name="password" type="password" required maxlength="256"
  autocomplete="current-password"${invalid}>
<label for="new-password">New password, at least 12 characters</label>
<input id="new-password" name="new_password" type="password" required minlength="12"
  maxlength="256" autocomplete="new-password">
<label for="repeated">New password once more</label>
<input id="repeated" name="repeated" type="password" required minlength="12" maxlength="256"
  autocomplete="new-password">
<div class="buttons">
<button name="act" value="change-password">Change password</button>
</div>
</form>`;
}

function form(
  secret: string,
  act: string,
  { field, button }: { field?: [name: string, value: string]; button: Html },
): Html {
  return html`<form method="post">
<input type="hidden" name="secret" value="${secret}">
<input type="hidden" name="act" value="${act}">
${field && html`<input type="hidden" name="${field[0]}" value="${field[1]}">\n`}${button}
</form>`;
}

function time(at: Date): Html {
  return html`<time datetime="${at.toISOString()}">${timeText(at)}</time>`;
}

function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
