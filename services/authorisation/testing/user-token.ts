/** Tokens of a user, without a sign-in: signed with the key of the service. */
import { createPrivateKey } from "node:crypto";
import { SignJWT } from "jose";
import { unsealSigningKey } from "../model/sealed-key.ts";
import { readSigningKeys } from "../store/signing-keys.ts";
import { type TestService, testClient, testEncryptionKey } from "./test-service.ts";

/** A user's token, as the code flow issues it. `changes` are changed claims. */
export async function userToken(service: TestService, changes: object = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return await signAsService(service, {
    iss: service.authUrl,
    sub: "urn:svc:user:7",
    aud: ["urn:svc:uploads"],
    exp: now + 600,
    nbf: now,
    iat: now,
    jti: "2b1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f",
    scope: "openid upl:bucket:read upl:bucket:write",
    client_id: testClient.clientId,
    azp: testClient.clientId,
    "urn:svc:auth:organisation_id": testClient.organisationId,
    "urn:svc:auth:application_id": testClient.applicationId,
    "urn:svc:auth:authorisation_id": "6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f",
    ...changes,
  });
}

/** Signs claims, as they are, with the newest key of the service. */
async function signAsService({ pool }: TestService, claims: object): Promise<string> {
  const { keys } = await readSigningKeys(pool, "current");
  const { keyId, sealedKey } = keys.at(-1) ?? {};
  if (keyId === undefined || sealedKey === undefined) throw new Error("The service has no key");
  const der = unsealSigningKey(keyId, sealedKey, [testEncryptionKey]);
  return await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: keyId })
    .sign(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
}
