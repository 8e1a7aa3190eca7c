/** Tokens of a user, without a sign-in. */
import { signAsService } from "./sign-as-service.ts";
import { type TestService, testClient } from "./test-service.ts";

/** A user's token, as the code flow issues it. `changes` are changed claims. */
export async function userToken(service: TestService, changes: object = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return await signAsService(service, {
    iss: service.authUrl,
    sub: "urn:svc:user:7",
    aud: ["urn:svc:uploads"],
    ...{ exp: now + 600, nbf: now, iat: now, jti: "2b1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f" },
    scope: "openid upl:bucket:read upl:bucket:write",
    ...{ client_id: testClient.clientId, azp: testClient.clientId },
    "urn:svc:auth:organisation_id": testClient.organisationId,
    "urn:svc:auth:application_id": testClient.applicationId,
    "urn:svc:auth:authorisation_id": "6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f",
    ...changes,
  });
}
