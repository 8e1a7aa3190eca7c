import assert from "node:assert/strict";
import { it } from "node:test";
import { subjectOf } from "../model/subjects.ts";
import { runCodeFlow, startSignInService } from "../testing/code-flow.ts";

it("a sign-in ends the session unused for longest if a person has over 100", async () => {
  const { service, acting, person } = await startSignInService();
  await using _ = service;
  const { pool, authUrl } = service;
  const first = (await runCodeFlow(authUrl, acting, person)).tokens;
  await pool.query(
    `update auth.provider_records set expires_at = now() + interval '1 hour'
     where model = 'Session'`,
  );
  // They expire after all others, as if lifetimes had been shortened.
  await pool.query(
    `insert into auth.provider_records (model, id_hash, payload, expires_at, uid, account_id)
     select 'Session', sha256(convert_to(id, 'UTF8')),
       json_build_object('uid', id, 'accountId', $1::text), now() + interval '90 days', id, $1
     from (select gen_random_uuid()::text as id from generate_series(1, 99)) as others`,
    [subjectOf(person.accountId)],
  );
  const last = (await runCodeFlow(authUrl, acting, person)).tokens;

  const refresh = async (refresh_token = "") => {
    const { client_id } = acting.client;
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token, client_id });
    return (await fetch(`${authUrl}/token`, { method: "POST", body })).status;
  };
  assert.deepEqual(
    [await refresh(first.refresh_token), await refresh(last.refresh_token)],
    [400, 200],
  );
  const column = async (text: string) => (await pool.query({ text, rowMode: "array" })).rows.flat();
  assert.deepEqual(
    await column(
      `select count(*)::int from auth.provider_records
       where model = 'Session' and consumed_at is null`,
    ),
    [100],
  );
  const [, claims = ""] = first.access_token.split(".");
  const { sid, sub } = JSON.parse(Buffer.from(claims, "base64url").toString());
  assert.deepEqual(await column("select value from denylist.entries"), [sid]);
  assert.deepEqual(
    await column("select subject from auth.audit_events where kind = 'session_ended'"),
    [sub],
  );
});
