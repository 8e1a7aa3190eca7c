import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pruneSessions } from "../store/sessions.ts";
import { pruneUsedLogoutTokens, useLogoutToken } from "../store/used-logout-tokens.ts";
import { ofPage } from "../testing/test-browser.ts";
import { startTestService } from "../testing/test-service.ts";

describe("a session", () => {
  it("that is used does not become idle, and is stored once a minute at most", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    const lastUsed = async () => {
      const { rows } = await service.pool.query(
        "select last_used_at::text as at from web.sessions",
      );
      return rows[0].at;
    };
    const atSignIn = await lastUsed();
    await browser.session();
    assert.equal(await lastUsed(), atSignIn);
    await service.pool.query("update web.sessions set last_used_at = now() - '7 h'::interval");
    const hoursAgo = await lastUsed();
    await browser.session();
    assert.notEqual(await lastUsed(), hoursAgo);
  });

  it("says when it expires: the earlier of both limits", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    await service.pool.query("update web.sessions set created_at = now() - '6 d 23 h'::interval");
    const { expiresAt } = JSON.parse((await browser.session()).text);
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000;
    assert.ok(minutes > 58 && minutes <= 60, expiresAt);
  });

  it("has the lifetimes of the settings", async () => {
    await using service = await startTestService({
      PAGE_SESSION_IDLE_S: "100",
      PAGE_SESSION_MAX_S: "1000",
    });
    const browser = await service.signIn();
    for (const [idle, age, status] of [
      [90, 990, 200],
      [101, 990, 401],
      [90, 1001, 401],
    ]) {
      await service.pool.query(
        `update web.sessions set last_used_at = now() - make_interval(secs => $1),
           created_at = now() - make_interval(secs => $2)`,
        [idle, age],
      );
      assert.equal((await browser.send("/session", { headers: ofPage })).status, status);
    }
  });
});

describe("what is too old is removed", () => {
  it("in batches of 1,000 sessions", async () => {
    await using service = await startTestService();
    const browser = await service.signIn();
    await service.pool.query(
      `insert into web.sessions (session_hash, subject, encryption_key_id, sealed_tokens,
         access_expires_at, last_used_at, created_at)
       select sha256(n::text::bytea), 's', 'k', '', now(),
         now() - case when n % 2 = 0 then '9 h' else '0 h' end::interval,
         now() - case when n % 2 = 0 then '0 d' else '8 d' end::interval
       from generate_series(1, 1500) n`,
    );
    const limits = { idleSecondsMax: 8 * 3600, ageSecondsMax: 7 * 86_400 };
    const removed = [];
    for (let run = 0; run < 3; run++) removed.push(await pruneSessions(service.pool, limits));
    assert.deepEqual(removed, [1000, 500, 0]);
    assert.equal((await browser.session()).status, 200);
  });

  it("among logout tokens only once they would be refused as expired", async () => {
    await using service = await startTestService();
    const client = await service.pool.connect();
    const now = Date.now() / 1000;
    await useLogoutToken(client, "expired", now - 60);
    await useLogoutToken(client, "tolerated", now - 10);
    client.release();
    assert.equal(await pruneUsedLogoutTokens(service.pool, 30), 1);
    const { rows } = await service.pool.query("select from web.used_logout_tokens");
    assert.equal(rows.length, 1);
  });
});
