import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { subjectOf } from "../model/subjects.ts";
import type { Account } from "../store/accounts.ts";
import { loginsMax } from "../store/grants.ts";
import { listGrants } from "../store/list-grants.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  discover,
  insecure,
  runCodeFlow,
} from "../testing/code-flow.ts";
import { addDeviceClient, allowDevice, poll, startDevice } from "../testing/device.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

describe("two logins in one browser", () => {
  let service: TestService;
  let server: oauth.AuthorizationServer;
  let person: Account;
  before(async () => {
    service = await startTestService();
    server = await discover(service.authUrl);
    person = await addPerson(service.pool);
  });
  after(() => service[Symbol.asyncDispose]());

  /** Grants of the person that end later than any new one. */
  async function addGrants({ client }: ActingClient, count: number): Promise<void> {
    await service.pool.query(
      `insert into auth.provider_records
         (model, id_hash, payload, grant_id, account_id, client_id, expires_at)
       select 'Grant', sha256(convert_to($2 || number, 'UTF8')), '{}', $2 || number, $1, $2,
         now() + interval '1 year'
       from generate_series(1, $3) as number`,
      [subjectOf(person.accountId), client.client_id, count],
    );
  }

  /** Gives up the first of two refresh tokens. Returns what the token endpoint answers to each. */
  async function giveUpFirst({ client, authentication }: ActingClient, tokens: string[]) {
    await oauth.revocationRequest(server, client, authentication, tokens[0] ?? "", insecure);
    const statuses: number[] = [];
    for (const token of tokens) {
      statuses.push(
        (await oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure))
          .status,
      );
    }
    return statuses;
  }

  async function codeFlowTwice(acting: ActingClient): Promise<string[]> {
    const browser = new TestBrowser();
    const changes = { scope: "openid offline_access upl:bucket:read", prompt: "consent" };
    const login = async () =>
      (await runCodeFlow(service.authUrl, acting, person, { browser, changes })).tokens;
    return [await login(), await login()].map(({ refresh_token }) => refresh_token ?? "");
  }

  it("of devices end one by one", async () => {
    const acting = await addDeviceClient(service.pool);
    const browser = new TestBrowser();
    const login = async () => {
      const started = await startDevice(server, acting);
      await allowDevice(browser, started, person);
      return (await poll(server, acting, started.device_code)).refresh_token ?? "";
    };
    assert.deepEqual(await giveUpFirst(acting, [await login(), await login()]), [400, 200]);
  });

  it("of a native program end one by one", async () => {
    const acting = await addActingClient(service.pool, { isNative: true });
    const tokens = await codeFlowTwice(acting);
    const listed = await listGrants(service.pool, { clientId: acting.client.client_id }, 10);
    assert.equal(listed.filter(({ isOffline }) => isOffline).length, 2);
    assert.deepEqual(await giveUpFirst(acting, tokens), [400, 200]);
  });

  it("of a native program: the oldest ends when there are too many", async () => {
    const acting = await addActingClient(service.pool, { isNative: true });
    const browser = new TestBrowser();
    const changes = { scope: "openid offline_access upl:bucket:read", prompt: "consent" };
    const login = () => runCodeFlow(service.authUrl, acting, person, { browser, changes });
    const { tokens: oldest } = await login();
    await addGrants(acting, loginsMax - 2);
    const { tokens: newer } = await login();
    const refresh = (token = "") =>
      oauth.refreshTokenGrantRequest(server, acting.client, acting.authentication, token, insecure);
    const still = await refresh(oldest.refresh_token);
    const { refresh_token } = (await still.json()) as typeof oldest;
    const { tokens: newest } = await login();
    const answers = [refresh_token, newer.refresh_token, newest.refresh_token].map(refresh);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.deepEqual([still.status, ...statuses], [200, 400, 200, 200]);
    const { rowCount } = await service.pool.query(
      "select from denylist.entries where kind = 'jti' and value = $1",
      [decodeJwt(oldest.access_token).jti],
    );
    assert.equal(rowCount, 1);
  });

  it("of a native program: a new one works though all others end later", async () => {
    const acting = await addActingClient(service.pool, { isNative: true });
    await addGrants(acting, loginsMax);
    const changes = { scope: "openid offline_access upl:bucket:read", prompt: "consent" };
    const { tokens } = await runCodeFlow(service.authUrl, acting, person, { changes });
    const refreshed = await oauth.refreshTokenGrantRequest(
      server,
      acting.client,
      acting.authentication,
      tokens.refresh_token ?? "",
      insecure,
    );
    assert.equal(refreshed.status, 200, await refreshed.text());
  });

  it("of a page end together, as they are of one session", async () => {
    const acting = await addActingClient(service.pool);
    assert.deepEqual(await giveUpFirst(acting, await codeFlowTwice(acting)), [400, 400]);
  });
});
