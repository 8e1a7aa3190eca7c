import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import type { ListedEvent } from "../store/audit-events.ts";
import type { ListedAuthorisations } from "../store/list-authorisations.ts";
import {
  type ActingClient,
  authorizationRequest,
  discover,
  insecure,
  runCodeFlow,
  startSignInService,
} from "../testing/code-flow.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { runToEnd } from "../testing/run-program.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import type { TestService } from "../testing/test-service.ts";

let service: TestService;
let acting: ActingClient;
let person: Account;
before(async () => {
  ({ service, acting, person } = await startSignInService());
});
after(() => service[Symbol.asyncDispose]());

async function run(program: string, ...commandLine: string[]): Promise<string> {
  const environment = { DATABASE_URL: service.databaseUrl };
  const ended = await runToEnd(`commands/${program}.ts`, commandLine, environment);
  assert.deepEqual([ended.code, ended.stderr], [0, ""]);
  return ended.stdout;
}

async function events(...options: string[]): Promise<ListedEvent[]> {
  const page = JSON.parse(await run("audit", "--events", "--json", ...options));
  return page.events as ListedEvent[];
}

const subjectOf = ({ accountId }: Account) => `urn:svc:user:${accountId}`;

describe("the audit log", () => {
  it("has failed sign-ins, without the name that was entered", async () => {
    const server = await discover(service.authUrl);
    for (const loginName of [person.loginName, "my password, by mistake"]) {
      const browser = new TestBrowser();
      const page = await browser.open(authorizationRequest(server, acting.client, "a".repeat(43)));
      const fields = { login_name: loginName, password: "not the password", act: "sign-in" };
      assert.equal((await browser.submit(page, fields)).status, 400);
    }
    const found = await events("--client", acting.client.client_id);
    assert.deepEqual(
      found.map(({ kind, subject, address }) => [kind, subject, address]),
      [
        ["sign_in_failed", null, "127.0.0.1"],
        ["sign_in_failed", subjectOf(person), "127.0.0.1"],
      ],
    );
    assert.doesNotMatch(JSON.stringify(found), /by mistake/);
  });

  it("has consents and revocations, and the jti and sid of each token", async () => {
    const browser = new TestBrowser();
    const { server, tokens } = await runCodeFlow(service.authUrl, acting, person, { browser });
    const { jti, sid } = decodeJwt(tokens.access_token);
    const listed = JSON.parse(await run("audit", "--sid", String(sid), "--json"));
    const [grant, ...others] = (listed as ListedAuthorisations).authorisations;
    assert.deepEqual([grant?.tokenId, grant?.sessionId, others], [jti, sid, []]);
    const { client, authentication } = acting;
    const refresh = tokens.refresh_token ?? "";
    await oauth.revocationRequest(server, client, authentication, tokens.access_token, insecure);
    await oauth.revocationRequest(server, client, authentication, refresh, insecure);
    const out = await browser.open(`${service.authUrl}/session/end`);
    const [, xsrf = ""] = /name="xsrf" value="([\w-]+)"/.exec(out.text) ?? [];
    const confirm = { ...out, url: `${service.authUrl}/session/end/confirm` };
    await browser.submit(confirm, { xsrf, logout: "yes" });

    const all = await events("--subject", subjectOf(person));
    const kinds = new Set(all.map(({ kind }) => kind));
    const expected = ["consent_given", "token_revoked", "grant_revoked", "session_ended"] as const;
    for (const kind of expected) assert.ok(kinds.has(kind), kind);
  });

  it("has what operators did, but not what they looked at", async () => {
    await run("accounts", "sign-out", person.loginName);
    await run("accounts", "list");
    const [latest] = await events("--limit", "1");
    assert.equal(latest?.kind, "operator_command");
    assert.match(latest.operator ?? "", /^.+@.+$/);
    assert.deepEqual(latest.details, {
      command: "accounts sign-out",
      arguments: [person.loginName],
      options: {},
      outcome: "done",
    });
    assert.match(await run("audit", "--events", "--limit", "1"), /^event +[0-9a-f-]{36}\n/);
  });

  it("has the whole name of a command of operators", async () => {
    const added = await addOtherClient(service.pool);
    await run("clients", "secrets", "list", added.clientId);
    const environment = { DATABASE_URL: service.databaseUrl };
    const unknown = randomUUID();
    const command = ["secrets", "remove", added.clientId, unknown];
    const { code } = await runToEnd("commands/clients.ts", command, environment);
    assert.equal(code, 1);
    const [latest] = await events("--limit", "1");
    assert.deepEqual(latest?.details, {
      command: "clients secrets remove",
      arguments: [added.clientId, unknown],
      options: {},
      outcome: "failed",
    });
  });

  it("has a command of operators that the database fails halfway", async () => {
    await service.pool.query(`
      create function auth.end_connection() returns trigger language plpgsql as $$ begin
        perform pg_terminate_backend(pg_backend_pid());
        return null;
      end $$;
      create trigger end_connection before update on auth.accounts
        for each row execute function auth.end_connection()`);
    const command = ["sign-out", person.loginName];
    const environment = { DATABASE_URL: service.databaseUrl };
    const { code } = await runToEnd("commands/accounts.ts", command, environment);
    await service.pool.query("drop function auth.end_connection cascade");
    assert.equal(code, 1);
    const [latest] = await events("--limit", "1");
    assert.deepEqual(latest?.details, {
      command: "accounts sign-out",
      arguments: [person.loginName],
      options: {},
      outcome: "failed",
    });
  });
});
