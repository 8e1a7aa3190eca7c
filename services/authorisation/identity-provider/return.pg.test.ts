import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "node:test";
import { SignJWT, UnsecuredJWT } from "jose";
import { setProviderGroup } from "../store/provider-groups.ts";
import {
  type DocumentedProvider,
  startDocumentedProvider,
} from "../testing/documented-provider.ts";
import { settingsOf } from "../testing/other-provider.ts";
import { TestBrowser, type Visited } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const clientSecret = "a secret of the service at the provider";

let other: DocumentedProvider;
let service: TestService;
before(async () => {
  other = await startDocumentedProvider();
  other.metadata = { authorization_response_iss_parameter_supported: true };
  service = await startTestService({
    identityProvider: settingsOf(other.issuer, { clientSecret, scopes: "openid" }),
  });
  const group = { groupName: "staff", organisationId: "acme", authorizationDetails: null };
  await setProviderGroup(service.pool, group);
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});
beforeEach(() => {
  other.answerToken = undefined;
  other.asked.length = 0;
});

type Changes = Record<string, unknown>;

function claimsWith(request: URLSearchParams, changes: Changes = {}) {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: other.issuer,
    sub: "a-person",
    aud: "stowage",
    iat: now,
    exp: now + 300,
    nonce: request.get("nonce"),
    groups: ["staff"],
    ...changes,
  };
}

/** Begins a sign-in. Returns what the provider is asked for. */
async function begin(browser: TestBrowser): Promise<URLSearchParams> {
  const { url } = await browser.open(`${service.authUrl}/account`);
  assert.ok(url.startsWith(`${other.url}/authorize?`), url);
  return new URL(url).searchParams;
}

/** Goes back from the provider, with these parameters. */
async function goBack(browser: TestBrowser, parameters: Record<string, string | null>) {
  const given = Object.entries({ iss: other.issuer, ...parameters }).filter(([, value]) => value);
  const query = new URLSearchParams(given as [string, string][]);
  return await browser.open(`${service.authUrl}/provider/callback?${query}`);
}

async function signIn(token: (request: URLSearchParams) => Promise<string> | string) {
  const browser = new TestBrowser();
  const request = await begin(browser);
  other.idToken = await token(request);
  return await goBack(browser, { code: "a code", state: request.get("state") });
}

const textOf = ({ text }: Visited) =>
  (/<main>(.*)<\/main>/s.exec(text)?.[1] ?? "").replaceAll(/<[^>]*>/g, " ").trim();

function assertNotSignedIn(page: Visited, message: RegExp, status = 400): void {
  assert.equal(page.status, status, textOf(page));
  assert.match(textOf(page), message);
  assert.doesNotMatch(page.headers.getSetCookie().join(), /stowage_session/);
}

const unusable = /What Acme has sent cannot be used/;

it("the request has a state, a nonce and a challenge of its own, and exact addresses", async () => {
  const [first, second] = [await begin(new TestBrowser()), await begin(new TestBrowser())];
  for (const name of ["state", "nonce", "code_challenge"]) {
    assert.match(String(first.get(name)), /^[\w-]{43}$/);
    assert.notEqual(first.get(name), second.get(name));
  }
  assert.equal(first.get("redirect_uri"), `${service.authUrl}/provider/callback`);
  assert.equal(first.get("code_challenge_method"), "S256");
  assert.deepEqual([first.get("client_id"), first.get("scope")], ["stowage", "openid"]);
});

it("a person signs in", async () => {
  const page = await signIn((request) => other.sign(claimsWith(request)));
  assert.match(textOf(page), /You are signed in as a-person/);
});

const badTokens: [string, (request: URLSearchParams) => Promise<string> | string][] = [
  ["of another issuer", (request) => other.sign(claimsWith(request, { iss: "https://evil" }))],
  ["for another client", (request) => other.sign(claimsWith(request, { aud: "somebody" }))],
  [
    "that another client has asked for",
    (request) => other.sign(claimsWith(request, { aud: ["stowage", "x"], azp: "x" })),
  ],
  ["that has expired", (request) => other.sign(claimsWith(request, { iat: 1, exp: 2 }))],
  ["of another sign-in", (request) => other.sign(claimsWith(request, { nonce: "other" }))],
  ["without a nonce", (request) => other.sign(claimsWith(request, { nonce: undefined }))],
  ["without a subject", (request) => other.sign(claimsWith(request, { sub: undefined }))],
  ["without an end", (request) => other.sign(claimsWith(request, { exp: undefined }))],
  [
    "that is an access token",
    (request) => other.sign(claimsWith(request, { scope: "openid" }), { typ: "at+jwt" }),
  ],
  ["without a signature", (request) => new UnsecuredJWT(claimsWith(request) as never).encode()],
  [
    "signed with the client secret",
    (request) =>
      new SignJWT(claimsWith(request) as never)
        .setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode(clientSecret)),
  ],
  [
    "with another signature",
    async (request) => {
      const [header, payload] = (await other.sign(claimsWith(request))).split(".");
      const [, , signature] = (await other.sign(claimsWith(request, { sub: "x" }))).split(".");
      return `${header}.${payload}.${signature}`;
    },
  ],
  ["with an unknown key", (request) => other.sign(claimsWith(request), { kid: "other" })],
  ["that is no token", () => "x"],
];
for (const [which, token] of badTokens) {
  it(`an ID token is refused ${which}`, async () => {
    assertNotSignedIn(await signIn(token), unusable);
  });
}

it("an answer is used once, and in the browser that has begun", async () => {
  const [browser, thief] = [new TestBrowser(), new TestBrowser()];
  const request = await begin(browser);
  await begin(thief);
  other.idToken = await other.sign(claimsWith(request));
  const answer = { code: "a code", state: request.get("state") };
  assertNotSignedIn(await goBack(thief, answer), /This page has expired/);
  assertNotSignedIn(await goBack(browser, answer), /This page has expired/);
  assertNotSignedIn(await goBack(new TestBrowser(), answer), /This page has expired/);
  assert.deepEqual(
    other.asked.filter((path) => path === "/token"),
    [],
  );
});

const badAnswers: [string, Record<string, string | null>, RegExp][] = [
  ["without a state", { state: null }, /This page has expired/],
  ["with an unknown state", { state: "x".repeat(43) }, /This page has expired/],
  ["of another issuer", { iss: "https://evil.example" }, unusable],
  ["without an issuer", { iss: null }, unusable],
  ["without a code", { code: null }, unusable],
  ["that the person has cancelled", { code: null, error: "access_denied" }, /you have cancelled/],
  ["with an error", { code: null, error: "server_error" }, unusable],
];
for (const [which, changes, message] of badAnswers) {
  it(`an answer is refused ${which}`, async () => {
    const browser = new TestBrowser();
    const request = await begin(browser);
    other.idToken = await other.sign(claimsWith(request));
    const answer = { code: "a code", state: request.get("state"), ...changes };
    assertNotSignedIn(await goBack(browser, answer), message);
    assert.deepEqual(
      other.asked.filter((path) => path === "/token"),
      [],
    );
  });
}

const faults: [string, (provider: DocumentedProvider) => void, RegExp, number][] = [
  [
    "fails",
    (provider) => {
      provider.answerToken = (response) => response.writeHead(500).end();
    },
    /Acme cannot be reached/,
    503,
  ],
  [
    "redirects elsewhere",
    (provider) => {
      provider.answerToken = (response) =>
        response.writeHead(307, { location: `${provider.url}/keys` }).end();
    },
    unusable,
    400,
  ],
  [
    "answers without an end",
    (provider) => {
      provider.answerToken = (response) => {
        const write = () => void (response.destroyed || response.write("x".repeat(65_536)));
        response.on("drain", write);
        response.writeHead(200, { "content-type": "application/json" });
        write();
      };
    },
    /Acme cannot be reached/,
    503,
  ],
  [
    "refuses the code",
    (provider) => {
      provider.answerToken = (response) =>
        response
          .writeHead(400, { "content-type": "application/json" })
          .end(JSON.stringify({ error: "invalid_grant" }));
    },
    unusable,
    400,
  ],
];
for (const [what, change, message, status] of faults) {
  it(`the page says it when the provider ${what}`, async () => {
    change(other);
    const page = await signIn((request) => other.sign(claimsWith(request)));
    assertNotSignedIn(page, message, status);
    assert.match(page.text, /<a href="\/account">Try again<\/a>/);
  });
}
