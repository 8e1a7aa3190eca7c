/** Service accounts, and assertions that only tests sign. */
import { createPublicKey, type KeyObject, randomUUID } from "node:crypto";
import type pg from "pg";
import { issueAssertion } from "../model/assertions.ts";
import { serviceAccountUrn } from "../model/subjects.ts";
import { addServiceAccount, type ServiceAccount } from "../store/service-accounts.ts";
import { testClient } from "./test-service.ts";

/** The grant type. */
export const bearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** An account and its assertion. */
export interface TestAccount {
  serviceAccountId: string;
  subject: string;
  assertion: string;
}

/** Adds an account of the test client's organisation, with the assertion that is issued for it. */
export async function addTestAccount(
  pool: pg.Pool,
  authUrl: string,
  { lifetimeMs = 3600_000, ...changes }: Partial<ServiceAccount> & { lifetimeMs?: number } = {},
): Promise<TestAccount> {
  const account = accountOf(changes);
  const { serviceAccountId } = account;
  const assertionId = randomUUID();
  const expiresAt = new Date(Date.now() + lifetimeMs);
  const issued = await issueAssertion({ serviceAccountId, assertionId, authUrl, expiresAt });
  const { publicKeyPem, assertion } = issued;
  const stored = { ...account, publicKeyPem, assertionId, assertionExpiresAt: expiresAt };
  await addServiceAccount(pool, { ...stored, ...changes });
  return { serviceAccountId, subject: serviceAccountUrn(serviceAccountId), assertion };
}

/** Adds an account that signs its own assertions. */
export async function addKeyedAccount(
  pool: pg.Pool,
  privateKey: KeyObject,
): Promise<Omit<TestAccount, "assertion">> {
  const publicKeyPem = createPublicKey(privateKey).export({ type: "spki", format: "pem" });
  const account = accountOf({ publicKeyPem: publicKeyPem.toString() });
  await addServiceAccount(pool, account);
  const { serviceAccountId } = account;
  return { serviceAccountId, subject: serviceAccountUrn(serviceAccountId) };
}

/** The answer to an assertion. */
export interface BearerAnswer {
  status: number;
  error?: string;
  error_description?: string;
  access_token: string;
  scope: string;
  expires_in: number;
}

/** Shows an assertion. It names no client unless `form` does. */
export async function showAssertion(
  authUrl: string,
  assertion: string,
  form: Record<string, string> = {},
): Promise<BearerAnswer> {
  const response = await fetch(`${authUrl}/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: bearerGrant, assertion, ...form }),
  });
  const answer = (await response.json()) as Omit<BearerAnswer, "status">;
  return { status: response.status, ...answer };
}

function accountOf(changes: Partial<ServiceAccount>): ServiceAccount {
  return {
    serviceAccountId: randomUUID(),
    applicationId: randomUUID(),
    organisationId: testClient.organisationId,
    name: "backup",
    scopes: ["upl:bucket:read", "upl:bucket:write"],
    publicKeyPem: "",
    assertionId: null,
    assertionExpiresAt: null,
    ...changes,
  };
}
