/** Forms that people send again: by a double click, or after *Back*. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addPerson,
  authorizationRequest,
  callback,
  startSignInService,
  testPassword,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import type { TestService } from "../testing/test-service.ts";

let service: TestService;
let server: oauth.AuthorizationServer;
let acting: ActingClient;
let person: Account;
before(async () => {
  ({ service, server, acting } = await startSignInService());
  person = await addPerson(service.pool);
});
after(() => service[Symbol.asyncDispose]());

const requestOf = (changes = {}) =>
  authorizationRequest(server, acting.client, "a".repeat(43), changes);
const signIn = () => ({ act: "sign-in", login_name: person.loginName, password: testPassword });

it("the sign-in form leads to the consent page again", async () => {
  person = await addPerson(service.pool);
  const browser = new TestBrowser();
  const login = await browser.open(requestOf({ prompt: "login" }));
  for (const _ of [1, 2]) {
    assert.match((await browser.submit(login, signIn())).text, /<h1>Allow /);
  }
  assert.match((await browser.open(login.url)).text, /<h1>Allow /);
});

it("both forms at once lead on", async () => {
  person = await addPerson(service.pool);
  const browser = new TestBrowser();
  const login = await browser.open(requestOf());
  const [first, second] = await Promise.all([1, 2].map(() => browser.submit(login, signIn())));
  assert.match(`${first?.text}${second?.text}`, /<h1>Allow /);
  for (const page of [first, second]) assert.doesNotMatch(page?.text ?? "", /expired|not work/);
});

it("the consent form leads to the client again, with another code", async () => {
  person = await addPerson(service.pool);
  const browser = new TestBrowser();
  const consent = await browser.submit(await browser.open(requestOf()), signIn());
  const codes = new Set<string>();
  for (const _ of [1, 2]) {
    const { url } = await browser.submit(consent, { act: "allow" });
    assert.ok(url.startsWith(`${callback}?code=`), url);
    codes.add(new URL(url).searchParams.get("code") ?? "");
  }
  assert.equal(codes.size, 2);
});

it("after a sign-in was cancelled, it asks again", async () => {
  const browser = new TestBrowser();
  const login = await browser.open(requestOf({ prompt: "login" }));
  const { url } = await browser.submit(login, { act: "cancel" });
  assert.equal(new URL(url).searchParams.get("error"), "access_denied");
  assert.match((await browser.open(login.url)).text, /<h1>Sign in/);
});

it("an address that nobody was sent to has expired", async () => {
  const { status, text } = await new TestBrowser().open(
    `${service.authUrl}/interaction/${"a".repeat(43)}`,
  );
  assert.equal(status, 400);
  assert.match(text, /This page has expired/);
});
