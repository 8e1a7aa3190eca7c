import assert from "node:assert/strict";
import { it } from "node:test";
import { startBareProvider } from "../testing/bare-provider.ts";
import { ensureBrowserCookie, shareSignIns } from "./shared-sign-ins.ts";

const cookie = { name: "browser", path: "/" };

/** Signs a person in in two tabs at once. Returns the UIDs of the sessions. */
async function signInTwice(isShared: boolean): Promise<unknown[]> {
  await using bare = await startBareProvider(
    {
      interactions: {
        url(ctx, { uid }) {
          if (isShared) ensureBrowserCookie(ctx, cookie);
          return `/interaction/${uid}`;
        },
      },
    },
    (provider) => {
      if (isShared) shareSignIns(provider, cookie);
    },
  );
  await Promise.all([bare.signIn(), bare.signIn()]);
  const sessions = [...bare.stored].filter(([key]) => key.startsWith("Session:"));
  assert.equal(sessions.length, 2);
  return sessions.map(([, { uid }]) => uid);
}

it("oidc-provider makes a session of each sign-in", async () => {
  const [first, second] = await signInTwice(false);
  assert.notEqual(first, second);
});

it("sign-ins of one person in one browser get the same name", async () => {
  const [first, second] = await signInTwice(true);
  assert.equal(first, second);
});
