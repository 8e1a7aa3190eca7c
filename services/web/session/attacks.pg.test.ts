/** Attacks against every check of checks.ts, on each address that needs a session. */
import assert from "node:assert/strict";
import type { OutgoingHttpHeaders } from "node:http";
import { after, before, describe, it } from "node:test";
import { newSessionId } from "../model/session-id.ts";
import { callPaths } from "../proxy/calls.ts";
import { listUploads, ofPage, type TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";
import { type Access, checkNames } from "./checks.ts";

let service: TestService;
let browser: TestBrowser;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

/** Makes a request that is right but for one thing, from a browser that is signed in. */
interface Attack {
  readonly check: string;
  readonly what: string;
  /** Changed headers; undefined removes one. */
  readonly headers?: OutgoingHttpHeaders;
  /** What happens before, with the cookie that the attacker or the person has. */
  readonly prepare?: () => Promise<unknown> | unknown;
  readonly status: number;
  readonly reason: string;
  /** Default: every access. */
  readonly against?: readonly Access[];
}

/** An address for each access; all others of the same access have the same checks. */
const addresses: Readonly<Record<Access, readonly (readonly [method: string, path: string])[]>> = {
  call: callPaths.map((path) => ["POST", path] as const),
  session: [
    ["GET", "/session"],
    ["POST", "/sign-out"],
  ],
  content: [
    ["GET", "/content/6f3c7a52-0c43-4f37-8d0e-8a7a3d2f4b11/upload-1"],
    ["HEAD", "/content/6f3c7a52-0c43-4f37-8d0e-8a7a3d2f4b11/upload-1"],
  ],
};

const cookie = () => browser.cookies.get("stowage") ?? "";
const setCookie = (value: string) => browser.cookies.set("stowage", value);
const refusedOrigin = { status: 403, reason: "ORIGIN_REFUSED" };
const ended = { status: 401, reason: "SESSION_ENDED" };

const attacks: readonly Attack[] = [
  ...["cross-site", "same-site", "SAME-ORIGIN", "same-origin, same-origin", "", "*"].map(
    (site) => ({
      check: "same_origin",
      what: `Sec-Fetch-Site: ${site || "(empty)"}`,
      headers: { "sec-fetch-site": site },
      ...refusedOrigin,
    }),
  ),
  {
    check: "same_origin",
    what: "no Sec-Fetch-Site, as from a program or an old browser",
    headers: { "sec-fetch-site": undefined },
    ...refusedOrigin,
  },
  {
    check: "same_origin",
    what: "an address that somebody typed (none)",
    headers: { "sec-fetch-site": "none" },
    against: ["call", "session"],
    ...refusedOrigin,
  },
  ...["https://attacker.example", "null", "http://127.0.0.1", "http://127.0.0.1:1"].map(
    (origin) => ({
      check: "own_origin",
      what: `Origin: ${origin}`,
      headers: { origin },
      ...refusedOrigin,
    }),
  ),
  ...[undefined, "", "2", "1.0", "01", "1, 1"].map((version) => ({
    check: "connect_header",
    what: `Connect-Protocol-Version: ${version ?? "(none)"}, as from a form of another page`,
    headers: { "connect-protocol-version": version },
    against: ["call"] as const,
    status: 400,
    reason: "PROTOCOL_VERSION_INVALID",
  })),
  {
    check: "cookie",
    what: "no cookie",
    prepare: () => browser.cookies.clear(),
    status: 401,
    reason: "SESSION_MISSING",
  },
  ...[
    "__Host-stowage",
    "__Secure-stowage",
    "__host-stowage",
    "stowage2",
    "__Host-Stowage",
    "\u00a0stowage",
    "stowage\u00a0",
  ].map((name) => ({
    check: "cookie",
    what: `the session in a cookie of another name, ${JSON.stringify(name)}`,
    prepare: () => {
      const value = cookie();
      browser.cookies.clear();
      browser.cookies.set(name, value);
    },
    status: 401,
    reason: "SESSION_MISSING",
  })),
  ...["before", "after"].map((place) => ({
    check: "one_cookie",
    what: `a second cookie ${place} that of the session`,
    prepare: () => {
      const own = cookie();
      const other = newSessionId();
      setCookie(place === "before" ? `${other}; stowage=${own}` : `${own}; stowage=${other}`);
    },
    status: 400,
    reason: "COOKIE_REPEATED",
  })),
  {
    check: "one_cookie",
    what: "the same cookie twice",
    prepare: () => setCookie(`${cookie()}; stowage=${cookie()}`),
    status: 400,
    reason: "COOKIE_REPEATED",
  },
  ...["", "x", "'; drop table web.sessions; --", "A".repeat(42), "A".repeat(44)].map((value) => ({
    check: "form_of_cookie",
    what: `a cookie with the value ${value || "(empty)"}`,
    prepare: () => setCookie(value),
    ...ended,
  })),
  {
    check: "form_of_cookie",
    what: "another spelling of the same bits",
    prepare: () => setCookie(`${cookie().slice(0, -1)}${nextLetter(cookie().slice(-1))}`),
    ...ended,
  },
  {
    check: "form_of_cookie",
    what: "a quoted value",
    prepare: () => setCookie(`"${cookie()}"`),
    ...ended,
  },
  {
    check: "known",
    what: "an ID that nobody has",
    prepare: () => setCookie(newSessionId()),
    ...ended,
  },
  {
    check: "known",
    what: "a stolen cookie after the person has signed out",
    prepare: async () => {
      const stolen = cookie();
      await browser.send("/sign-out", { method: "POST", headers: ofPage });
      setCookie(stolen);
    },
    ...ended,
  },
  {
    check: "known",
    what: "a stolen cookie after a sign-out at the issuer",
    prepare: async () => {
      const body = new URLSearchParams({ logout_token: await service.issuer.logoutToken() });
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      await browser.send("/back-channel-logout", { method: "POST", headers, body: `${body}` });
    },
    ...ended,
  },
  {
    check: "known",
    what: "the session from before a new sign-in (fixation)",
    prepare: async () => {
      const fixed = cookie();
      await service.signIn(browser);
      assert.notEqual(cookie(), fixed);
      setCookie(fixed);
    },
    ...ended,
  },
  {
    check: "known",
    what: "the hash from the database instead of the ID",
    prepare: async () => {
      const { rows } = await service.pool.query("select session_hash from web.sessions");
      setCookie(rows[0].session_hash.toString("base64url"));
    },
    ...ended,
  },
  {
    check: "not_idle",
    what: "a session that nobody has used for 8 hours",
    prepare: () =>
      service.pool.query("update web.sessions set last_used_at = now() - '8 h'::interval"),
    ...ended,
  },
  {
    check: "not_too_old",
    what: "a session of 7 days that is still in use",
    prepare: () =>
      service.pool.query("update web.sessions set created_at = now() - '7 d'::interval"),
    ...ended,
  },
];

/** Another letter, of which base64url reads the same four bits. */
function nextLetter(letter: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(letter) + 1] ?? "";
}

function send([method, path]: readonly [string, string], changes: OutgoingHttpHeaders = {}) {
  const all = { ...ofPage, "connect-protocol-version": "1", "content-type": "application/json" };
  const headers = Object.fromEntries(
    Object.entries({ ...all, ...changes }).filter(([, value]) => value !== undefined),
  );
  return browser.send(path, { method, headers, ...(method === "POST" && { body: "{}" }) });
}

it("there is an attack against every check, and none against another one", () => {
  const attacked = new Set(attacks.map(({ check }) => check));
  assert.deepEqual([...attacked].sort(), [...checkNames].sort());
});

for (const check of checkNames) {
  describe(`the check "${check}" refuses`, () => {
    for (const attack of attacks.filter((each) => each.check === check)) {
      for (const access of attack.against ?? (["call", "session", "content"] as const)) {
        it(`${attack.what}, for ${access}`, () => refuses(attack, access));
      }
    }
  });
}

/** The answer is a refusal, and of this check: no other one may hide that it is missing. */
async function refuses({ check, prepare, headers, status, reason }: Attack, access: Access) {
  for (const address of addresses[access]) {
    await service.pool.query("delete from web.sessions");
    browser = await service.signIn();
    await prepare?.();
    service.uploads.asked.length = 0;
    const before = await service.refusals();
    const answer = await send(address, headers);
    // Signing out leaves nobody signed in, no matter who asks and what was there before.
    const isOver = address[1] === "/sign-out" && status === 401;
    assert.equal(answer.status, isOver ? 200 : status, `${address}: ${answer.text}`);
    if (!isOver && address[0] !== "HEAD") assert.equal(answer.reason, reason);
    const counted = { ...before, [check]: (before[check] ?? 0) + 1 };
    if (!isOver) assert.deepEqual(await service.refusals(), counted);
    assert.deepEqual(service.uploads.asked, [], "nothing reaches the uploads service");
  }
}

describe("without an attack", () => {
  for (const [access, each] of Object.entries(addresses)) {
    for (const address of each) {
      it(`${address.join(" ")} answers (${access})`, async () => {
        browser = await service.signIn();
        assert.equal((await send(address)).status, 200);
      });
    }
  }

  it("content also answers for an address that somebody opens (none)", async () => {
    browser = await service.signIn();
    const [address = ["GET", ""] as const] = addresses.content;
    assert.equal((await send(address, { "sec-fetch-site": "none" })).status, 200);
  });
});

it("every address of the service needs a session, or is known to need none", async () => {
  browser = await service.signIn();
  browser.cookies.clear();
  const open = ["/", "/assets/app-1a2b.js", "/icon.svg", "/healthz", "/readyz"];
  for (const path of open) assert.equal((await send(["GET", path])).status, 200, path);
  for (const [, each] of Object.entries(addresses)) {
    for (const address of each.filter(([, path]) => path !== "/sign-out")) {
      assert.equal((await send(address)).status, 401, address.join(" "));
    }
  }
});

it("the database never has what is in the cookie, nor a token", async () => {
  browser = await service.signIn();
  await browser.call(listUploads);
  const { rows } = await service.pool.query("select s::text as text from web.sessions s");
  const dump = rows.map(({ text }) => text).join("\n");
  const asHex = (text: string) => Buffer.from(text).toString("hex");
  for (const secret of [
    cookie(),
    ...service.issuer.accessTokens,
    ...service.issuer.refreshTokens,
  ]) {
    assert.ok(!dump.includes(secret) && !dump.includes(asHex(secret)));
  }
});
