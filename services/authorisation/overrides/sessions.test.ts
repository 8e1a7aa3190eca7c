import assert from "node:assert/strict";
import { it } from "node:test";
import type { SessionRecord } from "../model/session.ts";
import { type BareProvider, startBareProvider } from "../testing/bare-provider.ts";
import { replaceSessionStorage } from "./sessions.ts";

function sessionsOf(bare: BareProvider): string[] {
  return [...bare.stored.keys()].filter((key) => key.startsWith("Session:"));
}

async function signOut(bare: BareProvider): Promise<void> {
  const page = await (await bare.browse("/session/end")).text();
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const response = await bare.browse("/session/end/confirm", { xsrf, logout: "yes" });
  assert.equal(response.status, 303);
}

it("oidc-provider itself stores and removes sessions", async () => {
  await using bare = await startBareProvider();
  await bare.signIn();
  assert.equal(sessionsOf(bare).length, 1);
  await signOut(bare);
  assert.equal(sessionsOf(bare).length, 0);
});

it("sessions are stored and ended elsewhere, and by the ID that was read", async () => {
  const saved: SessionRecord[] = [];
  const ended: [cookieId: string, subject: string | undefined][] = [];
  let told = 0;
  await using bare = await startBareProvider({}, (provider) =>
    replaceSessionStorage(provider, {
      findSessionByOtherId: async () => undefined,
      async storeSession(session) {
        saved.push(session);
        bare.stored.delete(`Session:${session.cookieIdBefore}`);
        // The library finds sessions by its adapter.
        bare.stored.set(`Session:${session.cookieId}`, {
          jti: session.cookieId,
          exp: Math.floor(Date.now() / 1000) + session.expiresInSeconds,
          ...(session.payload as object),
        });
        return true;
      },
      async endSession(cookieId, subject) {
        ended.push([cookieId, subject]);
      },
      sessionsEnded: () => {
        told++;
      },
    }),
  );
  await bare.signIn();
  const last = saved.at(-1);
  assert.equal(last?.payload.accountId, "person");
  assert.match(last.payload.authorizations?.app?.sid ?? "", /^[\w-]{43}$/);
  assert.equal(saved[0]?.cookieIdBefore, undefined);
  assert.deepEqual([ended, last.payload.state], [[], undefined]);

  const toldBefore = told;
  await signOut(bare);
  assert.ok(saved.at(-1)?.payload.state, "the request to sign out is stored");
  assert.deepEqual(ended, [[last.cookieId, "person"]]);
  assert.equal(told, toldBefore + 1);
});
