import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { Counter, Registry } from "@prometheus-io/client";
import { createLogger } from "@stowage/process";
import type { KoaContextWithOIDC } from "oidc-provider";
import { BusyError } from "../limits/busy-error.ts";
import { limitConcurrency } from "../limits/concurrency-limit.ts";
import type { Account } from "../store/accounts.ts";
import { addPerson } from "../testing/code-flow.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";
import { passwordSignIn } from "./password-sign-in.ts";

let service: TestService;
let person: Account;
before(async () => {
  service = await startTestService();
  person = await addPerson(service.pool);
});
after(() => service[Symbol.asyncDispose]());

it("signing in waits and is refused alike for known and unknown names", async () => {
  const isFull = Promise.withResolvers<void>();
  const limits = { runningMax: 1, waitingMax: 1, waitMaxMs: 60_000 };
  const hashing = limitConcurrency(limits, ({ waiting }) => {
    if (waiting === limits.waitingMax) isFull.resolve();
  });
  const registers = [new Registry()];
  const signIn = passwordSignIn({
    pool: service.pool,
    hashing,
    attempts: {
      begin: async () => ({ waitSeconds: 0, refund: async () => undefined }),
      remember: () => undefined,
    },
    signIns: new Counter({ name: "sign_ins", help: "-", labelNames: ["result"], registers }),
    logger: createLogger({ name: "test", level: "silent" }),
  });
  const tryAs = (loginName: string) =>
    signIn({ ip: "127.0.0.1" } as KoaContextWithOIDC, {
      loginName,
      password: "another password",
      organisationId: undefined,
    });
  const gate = Promise.withResolvers<void>();
  const running = hashing.run(() => gate.promise);
  const answered: string[] = [];
  const note = (loginName: string) => tryAs(loginName).finally(() => answered.push(loginName));
  const waiting = ["nobody@example.com", person.loginName].map(note);
  await isFull.promise;
  const other = await addPerson(service.pool);
  for (const loginName of [other.loginName, "nobody.else@example.com"]) {
    await assert.rejects(tryAs(loginName), BusyError);
  }
  assert.deepEqual(answered, []);
  gate.resolve();
  await running;
  for (const outcome of await Promise.all(waiting)) {
    assert.equal("status" in outcome && outcome.status, 400);
  }
});
