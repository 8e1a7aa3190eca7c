/** Verifies assertions (RFC 7523 section 3) of service accounts. */
import { decodeJwt, type JWTPayload, errors as joseErrors } from "jose";
import { serviceAccountIdOf } from "../model/subjects.ts";
import type {
  FindServiceAccount,
  OwnAssertion,
  StoredServiceAccount,
} from "../store/service-accounts.ts";
import {
  assertionVerifier,
  clockToleranceSeconds,
  ownLifetimeSecondsMax,
} from "./verify-assertion.ts";

/** An assertion is a few hundred bytes. */
const assertionBytesMax = 4 * 1024;
const idCharactersMax = 256;

/** More than the difference between our clock and the database's. */
const rememberedSeconds = 300;

/** What the verification needs. */
interface AssertionOptions {
  /** The issuer. */
  authUrl: string;
  /** The address of the token endpoint, another audience that assertions may name. */
  tokenEndpoint: string;
  findServiceAccount: FindServiceAccount;
  useAssertion: (assertion: OwnAssertion) => Promise<boolean>;
}

/** The assertion is not valid. The message is for the log only. */
export class AssertionRefusedError extends Error {
  override name = "AssertionRefusedError";
}

/** Returns the account of an assertion. Rejects with an AssertionRefusedError. */
export type AcceptAssertion = (assertion: string) => Promise<StoredServiceAccount>;

/** Makes an {@link AcceptAssertion}. */
export function assertionAcceptor(options: AssertionOptions): AcceptAssertion {
  const { authUrl, tokenEndpoint, findServiceAccount, useAssertion } = options;
  const verify = assertionVerifier([authUrl, tokenEndpoint]);

  return async (assertion) => {
    const id = claimedAccount(assertion);
    const account = id === undefined ? undefined : await findServiceAccount(id);
    if (account === undefined) throw new AssertionRefusedError("it names no service account");
    if (account.revokedAt !== null) throw new AssertionRefusedError("the account is revoked");
    const claims = await verify(assertion, account).catch((error: unknown) => {
      if (!(error instanceof joseErrors.JOSEError)) throw error;
      throw new AssertionRefusedError(error.message);
    });
    if (account.assertionId !== null) requireIssued(claims, account.assertionId);
    else await requireFresh(claims, account.serviceAccountId, useAssertion);
    return account;
  };
}

/** The account that an assertion names. Nothing is verified yet. */
function claimedAccount(assertion: string): string | undefined {
  if (Buffer.byteLength(assertion) > assertionBytesMax) return undefined;
  try {
    return serviceAccountIdOf(decodeJwt(assertion).sub);
  } catch (error) {
    if (error instanceof joseErrors.JOSEError) return undefined;
    throw error;
  }
}

function requireIssued({ jti }: JWTPayload, assertionId: string): void {
  if (jti !== assertionId) throw new AssertionRefusedError("it is not the one that was issued");
}

/** {@link verify} has checked that `iat` and `exp` are present. */
async function requireFresh(
  { jti, iat = 0, exp = Number.POSITIVE_INFINITY }: JWTPayload,
  serviceAccountId: string,
  useAssertion: AssertionOptions["useAssertion"],
): Promise<void> {
  if (exp - iat > ownLifetimeSecondsMax) {
    throw new AssertionRefusedError(`it is good for more than ${ownLifetimeSecondsMax} s`);
  }
  if (typeof jti !== "string" || jti === "" || jti.length > idCharactersMax) {
    throw new AssertionRefusedError(`its jti is not 1 to ${idCharactersMax} characters`);
  }
  const keptUntil = Math.ceil(exp) + clockToleranceSeconds + rememberedSeconds;
  if (!(await useAssertion({ serviceAccountId, assertionId: jti, keptUntil }))) {
    throw new AssertionRefusedError("it has been used before");
  }
}
