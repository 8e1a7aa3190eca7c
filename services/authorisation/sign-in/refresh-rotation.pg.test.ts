/** Refresh tokens that several tabs use, whose answers are lost, or whose statements fail. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addActingClient,
  runCodeFlow,
  startSignInService,
} from "../testing/code-flow.ts";
import type { TestService } from "../testing/test-service.ts";

let service: TestService;
let acting: ActingClient;
let person: Account;
before(async () => {
  ({ service, acting, person } = await startSignInService());
});
after(() => service[Symbol.asyncDispose]());

interface Answer {
  status: number;
  error?: string;
  access_token?: string;
  refresh_token?: string;
}

async function refresh(refresh_token = "", changes: Record<string, string> = {}): Promise<Answer> {
  const { client_id } = acting.client;
  const response = await fetch(`${service.authUrl}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token,
      client_id,
      ...changes,
    }),
  });
  return { ...((await response.json()) as object), status: response.status };
}

async function signIn(): Promise<string> {
  const { tokens } = await runCodeFlow(service.authUrl, acting, person);
  return tokens.refresh_token ?? "";
}

const outcomeOf = ({ status, error }: Answer) => [status, error];
const refused = [400, "invalid_grant"];

async function isRevoked({ access_token = "" }: Answer): Promise<boolean> {
  const { rows } = await service.pool.query(
    "select from denylist.entries where kind = 'jti' and value = $1",
    [decodeJwt(access_token).jti],
  );
  return rows.length === 1;
}

describe("within the grace period, a refresh token that was used can be used again", () => {
  it("in tabs that refresh at once: twenty rounds, and all of them continue", async () => {
    let token = await signIn();
    for (let round = 1; round <= 20; round++) {
      const answers = await Promise.all([1, 2, 3].map(() => refresh(token)));
      assert.deepEqual(answers.map(outcomeOf), Array(3).fill([200, undefined]), `round ${round}`);
      const tokens = answers.map((answer) => answer.refresh_token);
      const next = await Promise.all(tokens.map((each) => refresh(each)));
      assert.deepEqual(next.map(outcomeOf), Array(3).fill([200, undefined]), `round ${round}`);
      token = next[round % 3]?.refresh_token ?? "";
    }
  });

  it("when its answer was lost, with an access token of its own", async () => {
    const token = await signIn();
    const [lost, again] = [await refresh(token), await refresh(token)];
    assert.equal(new Set([token, lost.refresh_token, again.refresh_token]).size, 3);
    assert.notEqual(
      decodeJwt(again.access_token ?? "").jti,
      decodeJwt(lost.access_token ?? "").jti,
    );
    assert.equal((await refresh(again.refresh_token)).status, 200);
  });

  it("but not another client, which changes nothing", async () => {
    const token = await signIn();
    const used = await refresh(token);
    const other = await addActingClient(service.pool);
    const stolen = await refresh(token, { client_id: other.client.client_id });
    assert.deepEqual(outcomeOf(stolen), refused);
    assert.equal((await refresh(used.refresh_token)).status, 200);
  });

  it("but not later: then everything is revoked", async () => {
    const token = await signIn();
    const used = await refresh(token);
    await service.pool.query(
      `update auth.provider_records set consumed_at = consumed_at - interval '31 s'
       where model = 'RefreshToken'`,
    );
    assert.deepEqual(outcomeOf(await refresh(token)), refused);
    assert.deepEqual(outcomeOf(await refresh(used.refresh_token)), refused);
    assert.ok(await isRevoked(used));
  });
});

describe("when the database refuses a statement, the grant is not lost", () => {
  const statements = [
    ["stores the successor", "provider_records", "new.model = 'RefreshToken'"],
    ["records the access token", "authorisations", "true"],
  ];
  for (const [what, table, condition] of statements) {
    it(`the one that ${what}`, async () => {
      const token = await signIn();
      await service.pool.query(`
        create function auth.refuse() returns trigger language plpgsql as $$ begin
          raise 'terminating connection' using errcode = '57P01';
        end $$;
        create trigger refuse before insert on auth.${table}
          for each row when (${condition}) execute function auth.refuse()`);
      const failed = await refresh(token);
      await service.pool.query(`drop function auth.refuse cascade`);
      assert.deepEqual(outcomeOf(failed), [503, "server_error"]);
      const next = await refresh(token);
      assert.deepEqual(outcomeOf(next), [200, undefined]);
      assert.equal((await refresh(next.refresh_token)).status, 200);
    });
  }
});
