import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
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

  it("of a page end together, as they are of one session", async () => {
    const acting = await addActingClient(service.pool);
    assert.deepEqual(await giveUpFirst(acting, await codeFlowTwice(acting)), [400, 400]);
  });
});
