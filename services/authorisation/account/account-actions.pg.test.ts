/** What other requests and operators do while a person changes the password. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { KoaContextWithOIDC } from "oidc-provider";
import { hashPassword } from "../model/credentials.ts";
import { subjectOf } from "../model/subjects.ts";
import { errors } from "../overrides/library.ts";
import type { SignedIn } from "../sign-in/signed-in.ts";
import {
  type Account,
  changePassword,
  findAccount,
  findAccountByLoginName,
  signOutEverywhere,
} from "../store/accounts.ts";
import { disable, enable } from "../store/disabling.ts";
import { addPerson, testPassword } from "../testing/code-flow.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";
import { type AccountOptions, accountActions } from "./account-actions.ts";

const newPassword = "staple, horse and battery";
let service: TestService;
let newHash: string;
let operatorHash: string;
before(async () => {
  service = await startTestService();
  newHash = await hashPassword(newPassword);
  operatorHash = await hashPassword("set by the operator");
});
after(() => service[Symbol.asyncDispose]());

/** Changes the password, with the old one. `meanwhile` happens before the new one is stored. */
async function changeDuring({ accountId, loginName }: Account, meanwhile: () => Promise<unknown>) {
  const { pool } = service;
  const account = await findAccountByLoginName(pool, loginName);
  assert.ok(account);
  const actions = accountActions({
    pool,
    signIn: async () => ({ account, ts: Math.floor(Date.now() / 1000) }),
    async hashPassword() {
      await meanwhile();
      return newHash;
    },
  } as unknown as AccountOptions);
  const signedIn = {
    account: await findAccount(pool, accountId),
    session: { accountId: subjectOf(accountId) },
  } as SignedIn;
  const form = new URLSearchParams({
    password: testPassword,
    new_password: newPassword,
    repeated: newPassword,
  });
  await actions["change-password"]?.({ ip: "192.0.2.1" } as KoaContextWithOIDC, signedIn, form);
}

async function storedHash({ accountId }: Account): Promise<string> {
  const { rows } = await service.pool.query<{ hash: string }>(
    "select password_hash as hash from auth.accounts where account_id = $1",
    [accountId],
  );
  return rows[0]?.hash ?? "";
}

describe("a change of the password does not undo", () => {
  const ends: Record<string, (person: Account) => Promise<unknown>> = {
    "a password that an operator sets meanwhile": ({ loginName }) =>
      changePassword(service.pool, loginName, operatorHash),
    "a sign-out from everywhere": ({ loginName }) => signOutEverywhere(service.pool, loginName),
    "disabling the account": ({ loginName }) => disable(service.pool, "account", loginName),
    "disabling the account and enabling it": async ({ loginName }) => {
      await disable(service.pool, "account", loginName);
      await enable(service.pool, "account", loginName);
    },
  };
  for (const [what, end] of Object.entries(ends)) {
    it(what, async () => {
      const person = await addPerson(service.pool);
      let hashAfter = "";
      const changed = changeDuring(person, async () => {
        await end(person);
        hashAfter = await storedHash(person);
      });
      await assert.rejects(changed, errors.SessionNotFound);
      assert.equal(await storedHash(person), hashAfter);
      const { rows } = await service.pool.query(
        `select model from auth.provider_records where account_id = $1
         union all select kind from auth.audit_events where subject = $1`,
        [subjectOf(person.accountId)],
      );
      assert.deepEqual(rows, []);
    });
  }
});

it("sign-outs within a second have times of their own", async () => {
  const { accountId, loginName } = await addPerson(service.pool);
  const times = [];
  for (let round = 0; round < 3; round++) {
    await signOutEverywhere(service.pool, loginName);
    times.push((await findAccount(service.pool, accountId))?.signedOutAt ?? 0);
  }
  assert.deepEqual(times, [...new Set(times)].sort());
});
