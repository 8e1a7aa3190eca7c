/** Strangers who try passwords, and the person whose account it is. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  discover,
  testPassword,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
let server: oauth.AuthorizationServer;
let challenge: string;
let acting: ActingClient;
before(async () => {
  const limits = { addressLoginsPerMinuteMax: 5, accountLoginsPerMinuteMax: 2 };
  service = await startTestService({ ...limits, trustedProxies: ["127.0.0.1"] });
  server = await discover(service.authUrl);
  challenge = await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier());
  acting = await addActingClient(service.pool);
});
after(() => service[Symbol.asyncDispose]());

const addresses = { person: "203.0.113.1", stranger: "198.51.100.1" };

/** Attempts to sign in. Returns the status of the answer, 200 for the page of the consent. */
async function attempt(
  browser: TestBrowser,
  { loginName }: Account,
  password = testPassword,
  address = addresses.person,
): Promise<number> {
  const request = authorizationRequest(server, acting.client, challenge, { prompt: "login" });
  const { url } = await browser.open(request);
  const fields = { login_name: loginName, password, act: "sign-in" };
  const { status } = await browser.open(url, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { origin: service.authUrl, "x-forwarded-for": address },
  });
  return status;
}

async function wrongAttempts(person: Account, address: string, times = 3): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time++) {
    statuses.push(await attempt(new TestBrowser(), person, "wrong password", address));
  }
  return statuses;
}

it("strangers do not stop a person on a device that signed in before", async () => {
  const person = await addPerson(service.pool);
  const known = new TestBrowser();
  assert.equal(await attempt(known, person), 200);
  assert.deepEqual(await wrongAttempts(person, addresses.stranger), [400, 400, 429]);
  assert.equal(await attempt(new TestBrowser(), person), 429, "an unknown device must wait");
  assert.equal(await attempt(known, person), 200);
});

it("strangers at the person's own address do not either", async () => {
  const person = await addPerson(service.pool);
  const known = new TestBrowser();
  const address = "203.0.113.2";
  assert.equal(await attempt(known, person, testPassword, address), 200);
  const others = await Promise.all([1, 2, 3].map(() => addPerson(service.pool)));
  for (const other of others) await wrongAttempts(other, address, 2);
  assert.equal(await attempt(new TestBrowser(), person, testPassword, address), 429);
  assert.equal(await attempt(known, person, testPassword, address), 200);
});

it("a known device has a limit of its own, and is known to its account only", async () => {
  const person = await addPerson(service.pool);
  const known = new TestBrowser();
  assert.equal(await attempt(known, person), 200);
  const wrong = () => attempt(known, person, "wrong password");
  assert.deepEqual([await wrong(), await wrong(), await wrong()], [400, 400, 429]);
  assert.equal(await attempt(known, person), 429);

  const other = await addPerson(service.pool);
  assert.deepEqual(await wrongAttempts(other, "198.51.100.2", 2), [400, 400]);
  const unused = new TestBrowser();
  assert.equal(await attempt(unused, person), 200);
  assert.equal(await attempt(unused, other, testPassword, "198.51.100.3"), 429);
});

it("a cookie that nobody issued makes no device known", async () => {
  const person = await addPerson(service.pool);
  const known = new TestBrowser();
  await attempt(known, person);
  const name = `stowage_device_${service.port}`;
  const cookie = known.cookies.get(`${name} /`)?.value ?? "";
  assert.match(cookie, /^\d+\.[\w-]{22}\.[\w-]{43}$/);
  assert.deepEqual(await wrongAttempts(person, "198.51.100.4", 2), [400, 400]);
  const forged = [cookie.replace(/^\d/, "9"), cookie.slice(0, -1), "..", "~~", "x"];
  for (const value of forged) {
    const browser = new TestBrowser();
    browser.cookies.set(`${name} /`, { name, value, path: "/" });
    assert.equal(await attempt(browser, person), 429, value);
  }
});
