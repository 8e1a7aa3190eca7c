import assert from "node:assert/strict";
import { it } from "node:test";
import { ensureBrowserCookie } from "../http/cookies.ts";
import { type BareProvider, startBareProvider } from "../testing/bare-provider.ts";
import { keepSessionIds } from "./sessions.ts";

const cookie = { name: "browser", path: "/" };
const key = Buffer.alloc(32, 1);

/** A provider with the override, unless it is to show what the library does itself. */
function start({ isChanged }: { isChanged: boolean }): Promise<BareProvider> {
  if (!isChanged) return startBareProvider();
  return startBareProvider(
    {
      interactions: {
        url(ctx, { uid }) {
          ensureBrowserCookie(ctx, cookie);
          return `/interaction/${uid}`;
        },
      },
    },
    (provider) => keepSessionIds(provider, { key, cookie }),
  );
}

const sessionsOf = ({ stored }: BareProvider) =>
  [...stored.keys()].filter((stored) => stored.startsWith("Session:"));

/** Signs a person in in two tabs at once, and then again. Returns the sessions after each. */
async function signInAgain(bare: BareProvider): Promise<[string[], string[]]> {
  await Promise.all([bare.signIn(), bare.signIn()]);
  const atFirst = sessionsOf(bare);
  await bare.signIn({ prompt: "login" });
  return [atFirst, sessionsOf(bare)];
}

it("oidc-provider makes a session of each sign-in, and changes its ID at the next", async () => {
  await using bare = await start({ isChanged: false });
  const [atFirst, afterwards] = await signInAgain(bare);
  assert.equal(atFirst.length, 2);
  assert.notDeepEqual(afterwards.sort(), atFirst.sort());
});

it("sign-ins of one person in one browser are one session, and its ID stays", async () => {
  await using bare = await start({ isChanged: true });
  const [atFirst, afterwards] = await signInAgain(bare);
  assert.equal(atFirst.length, 1);
  assert.deepEqual(afterwards, atFirst);
});

it("another person, browser or sign-in has another session", async () => {
  await using bare = await start({ isChanged: true });
  await bare.signIn();
  bare.forget();
  await bare.signIn();
  bare.forget();
  bare.accountId = "another person";
  await bare.signIn();
  assert.equal(new Set(sessionsOf(bare)).size, 3);
  const uids = sessionsOf(bare).map((session) => bare.stored.get(session)?.uid);
  assert.equal(new Set(uids).size, 3);
});
