import assert from "node:assert/strict";
import { it } from "node:test";
import * as surface from "@stowage/access-token";

it("the package offers this and nothing else", () => {
  assert.deepEqual(Object.keys(surface).sort(), [
    "TokenRefusedError",
    "createAccessTokenValidator",
    "memoryDenylist",
    "readBearerToken",
    "refusalMessages",
    "remoteKeySet",
    "requireAuthorizationDetail",
    "requireScope",
    "staticKeySet",
    "wwwAuthenticate",
  ]);
});
