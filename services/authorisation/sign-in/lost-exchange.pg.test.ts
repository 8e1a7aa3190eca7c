/** Codes that the database has used up, in exchanges whose answer from it was lost. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type DatabaseRelay, relayDatabase, until } from "@stowage/process/testing";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import type { Service } from "../service.ts";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  discover,
  signInAndAllow,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

let service: TestService;
let person: Account;
/** The network of another process of the service. */
let network: DatabaseRelay;
let another: Service;
before(async () => {
  service = await startTestService();
  person = await addPerson(service.pool);
  network = await relayDatabase(service.databaseUrl);
  const { databaseUrl } = network;
  another = await service.startAnother({ databaseUrl, authUrl: service.authUrl });
  await service.pool.query(`
    create function auth.wait() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(1);
      return new;
    end $$;
    create trigger wait before update on auth.provider_records for each row
      when (new.model = 'AuthorizationCode' and new.consumed_at is not null)
      execute function auth.wait()`);
});
after(async () => {
  await another.stop();
  await network.cut();
  await service[Symbol.asyncDispose]();
});

interface Answer {
  status: number;
  error?: string;
  access_token?: string;
  refresh_token?: string;
}

async function post(port: number, form: Record<string, string>): Promise<Answer> {
  const url = `http://127.0.0.1:${port}/token`;
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
  return { ...((await response.json()) as object), status: response.status };
}

type Exchange = (port: number) => Promise<Answer>;

/** Signs in. The function that this returns exchanges the code. */
async function signIn({ client }: ActingClient): Promise<Exchange> {
  const verifier = oauth.generateRandomCodeVerifier();
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const server = await discover(service.authUrl);
  const request = authorizationRequest(server, client, challenge);
  const { url } = await signInAndAllow(new TestBrowser(), request, person);
  const form = {
    client_id: client.client_id,
    redirect_uri: callback,
    code_verifier: verifier,
    grant_type: "authorization_code",
    code: new URL(url).searchParams.get("code") ?? "",
  };
  return (port) => post(port, form);
}

async function holds(condition: string): Promise<boolean> {
  const { rows } = await service.pool.query<{ holds: boolean }>(`select ${condition} as holds`);
  return rows[0]?.holds === true;
}

const waits = `exists (select from pg_stat_activity
  where datname = current_database() and wait_event = 'advisory')`;
const usedCodes = `(select count(*)::integer from auth.provider_records
  where model = 'AuthorizationCode' and consumed_at is not null)`;

/** The database uses up the code, and its answer is lost with the connection. */
async function loseAnswer(exchange: Exchange): Promise<Answer> {
  const { rows } = await service.pool.query<{ count: number }>(`select ${usedCodes} as count`);
  const holder = await service.pool.connect();
  await holder.query("select pg_advisory_lock(1)");
  const asked = exchange(another.port);
  await until("the code is about to be used up", () => holds(waits));
  network.stall();
  await holder.query("select pg_advisory_unlock(1)");
  holder.release();
  await until("the code is used up", () => holds(`${usedCodes} > ${rows[0]?.count}`));
  network.reset();
  const answer = await asked;
  await network.mend();
  return answer;
}

async function isRevoked({ access_token = "" }: Answer): Promise<boolean> {
  const { rows } = await service.pool.query(
    "select from denylist.entries where kind = 'jti' and value = $1",
    [decodeJwt(access_token).jti],
  );
  return rows.length > 0;
}

const clients: [string, string[]][] = [
  ["with refresh tokens", ["authorization_code", "refresh_token"]],
  ["without refresh tokens", ["authorization_code"]],
];
for (const [what, grantTypes] of clients) {
  describe(`a code of a client ${what}, whose exchange failed after it was used up`, () => {
    let acting: ActingClient;
    before(async () => {
      acting = await addActingClient(service.pool, { grantTypes });
    });

    it("is good until the exchange succeeds, and for nothing after that", async () => {
      const exchange = await signIn(acting);
      const lost = await loseAnswer(exchange);
      assert.deepEqual([lost.status, lost.error], [503, "server_error"]);
      const got = await exchange(another.port);
      assert.deepEqual([got.status, got.error], [200, undefined]);
      assert.equal("refresh_token" in got, grantTypes.includes("refresh_token"));

      const again = await exchange(another.port);
      assert.deepEqual([again.status, again.error], [400, "invalid_grant"]);
      assert.ok(await isRevoked(got));
    });

    it("is good again when the next exchange fails too", async () => {
      const exchange = await signIn(acting);
      await loseAnswer(exchange);
      await network.cut();
      assert.equal((await exchange(another.port)).status, 503);
      await network.mend();
      assert.equal((await exchange(another.port)).status, 200);
    });

    it("is exchanged at most once by many at once", async () => {
      const exchange = await signIn(acting);
      await loseAnswer(exchange);
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => exchange(another.port)));
      const got = outcomes.filter(({ status }) => status === 200);
      assert.ok(got.length <= 1, JSON.stringify(outcomes));
      for (const each of got) assert.ok(await isRevoked(each));
    });
  });
}

it("a refresh token that came of a second exchange is refreshed like any other", async () => {
  const acting = await addActingClient(service.pool);
  const exchange = await signIn(acting);
  await loseAnswer(exchange);
  let { refresh_token = "" } = await exchange(another.port);
  for (let count = 0; count < 3; count++) {
    const { client_id } = acting.client;
    const form = { grant_type: "refresh_token", client_id, refresh_token };
    const next = await post(another.port, form);
    assert.equal(next.status, 200);
    refresh_token = next.refresh_token ?? "";
  }
});
