import assert from "node:assert/strict";
import { it } from "node:test";
import * as surface from "@stowage/access-token";
import * as connect from "@stowage/access-token/connect";
import * as fastify from "@stowage/access-token/fastify";
import * as http from "@stowage/access-token/http";

it("the package exports exactly these names", () => {
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

it("each framework has a guard, and accessTokenOf returns the token of a request", () => {
  assert.deepEqual(Object.keys(http).sort(), ["accessTokenOf", "createHttpGuard"]);
  assert.deepEqual(Object.keys(fastify).sort(), ["accessTokenOf", "createFastifyGuard"]);
  assert.deepEqual(Object.keys(connect).sort(), ["accessTokenOf", "createConnectGuard"]);
});
