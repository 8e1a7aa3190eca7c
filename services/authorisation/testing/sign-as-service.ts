/** Tokens that the service never issues, signed with its key. */
import { createPrivateKey } from "node:crypto";
import { SignJWT } from "jose";
import { unsealSigningKey } from "../model/sealed-key.ts";
import { readSigningKeys } from "../store/signing-keys.ts";
import { type TestService, testEncryptionKey } from "./test-service.ts";

/** Signs claims, as they are, with the newest key of the service. */
export async function signAsService({ pool }: TestService, claims: object): Promise<string> {
  const { keys } = await readSigningKeys(pool, "current");
  const { keyId, sealedKey } = keys.at(-1) ?? {};
  if (keyId === undefined || sealedKey === undefined) throw new Error("The service has no key");
  const der = unsealSigningKey(keyId, sealedKey, [testEncryptionKey]);
  return await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: keyId })
    .sign(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
}
