import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { it } from "node:test";
import { errors } from "jose";
import { issueAssertion } from "../model/assertions.ts";
import type { StoredServiceAccount } from "../store/service-accounts.ts";
import { assertionVerifier } from "./verify-assertion.ts";

const authUrl = "https://auth.example.com";

/** An account, and its assertion for the next hour. */
async function issue(): Promise<{ account: StoredServiceAccount; assertion: string }> {
  const ids = { serviceAccountId: randomUUID(), assertionId: randomUUID() };
  const expiresAt = new Date(Date.now() + 3600_000);
  const { assertion, publicKeyPem } = await issueAssertion({ ...ids, authUrl, expiresAt });
  const names = { applicationId: "backup", organisationId: "acme", name: "", scopes: [] };
  const times = { assertionExpiresAt: expiresAt, createdAt: new Date(), revokedAt: null };
  return { account: { ...ids, ...names, ...times, publicKeyPem }, assertion };
}

it("verifies an assertion again and again, until it expires", async ({ mock }) => {
  mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const verify = assertionVerifier([authUrl]);
  const { account, assertion } = await issue();
  const claims = await verify(assertion, account);
  assert.equal(claims.jti, account.assertionId);
  mock.timers.tick(3598_000);
  assert.deepEqual(await verify(assertion, account), claims);
  mock.timers.tick(2000);
  await assert.rejects(verify(assertion, account), { code: "ERR_JWT_EXPIRED" });
});

it("refuses an assertion that was valid if the key is another one now", async () => {
  const verify = assertionVerifier([authUrl]);
  const { account, assertion } = await issue();
  await verify(assertion, account);
  const { publicKeyPem } = (await issue()).account;
  await assert.rejects(verify(assertion, { ...account, publicKeyPem }), {
    code: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
  });
});

it("refuses what differs from an assertion that was valid in any part", async () => {
  const verify = assertionVerifier([authUrl]);
  const { account, assertion } = await issue();
  const other = (await issue()).assertion.split(".");
  await verify(assertion, account);
  for (const part of other.keys()) {
    const parts = assertion.split(".");
    parts[part] = other[part] === parts[part] ? "e30" : (other[part] ?? "");
    await assert.rejects(verify(parts.join("."), account), errors.JOSEError, `part ${part}`);
  }
});
