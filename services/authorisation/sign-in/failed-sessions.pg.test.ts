/** Sessions that cannot be stored after the redirect with the code was made. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { Account } from "../store/accounts.ts";
import {
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
let request: string;
before(async () => {
  service = await startTestService();
  person = await addPerson(service.pool);
  const [{ client }, server] = await Promise.all([
    addActingClient(service.pool),
    discover(service.authUrl),
  ]);
  request = authorizationRequest(server, client, "a".repeat(43));
  await service.pool.query(`
    create function auth.fail() returns trigger language plpgsql as $$ begin
      raise exception 'no connection' using errcode = 'connection_failure';
    end $$;
    create trigger fail before update on auth.provider_records for each row
      when (new.model = 'Session' and new.payload->'authorizations' is not null)
      execute function auth.fail()`);
});
after(() => service[Symbol.asyncDispose]());

it("the person stays here and can try again: the code would be worth nothing", async () => {
  const browser = new TestBrowser();
  const failed = await signInAndAllow(browser, request, person);
  assert.equal(failed.status, 503);
  assert.match(failed.text, /does not work at the moment/);
  assert.deepEqual(failed.headers.getSetCookie(), [], "no cookie leads to what was not stored");
  await service.pool.query("drop trigger fail on auth.provider_records");
  const { url } = await signInAndAllow(browser, request, person);
  assert.ok(url.startsWith(`${callback}?code=`), url);
});
