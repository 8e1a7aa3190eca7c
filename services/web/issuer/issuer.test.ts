import assert from "node:assert/strict";
import { it } from "node:test";
import { createLogger } from "@stowage/process";
import { until } from "@stowage/process/testing";
import { client, TestIssuer } from "../testing/test-issuer.ts";
import { Issuer } from "./issuer.ts";

it("nobody waits for new metadata while there is old", async () => {
  const server = await TestIssuer.start();
  let nowMs = 0;
  const issuer = new Issuer({
    authUrl: server.url,
    clientId: client.id,
    clientSecret: client.secret,
    ...{ audience: "urn:svc:uploads", scope: "openid", redirectUri: "http://page.example/back" },
    logger: createLogger({ name: "test", level: "silent" }),
    now: () => nowMs,
  });
  const old = await issuer.metadata();
  nowMs += 600_000;
  const answering = Promise.withResolvers<void>();
  server.beforeMetadata = () => answering.promise;
  assert.equal(await issuer.metadata(), old);
  assert.equal(await issuer.metadata(), old, "while it is fetched");
  answering.resolve();
  await until("it has new metadata", async () => (await issuer.metadata()) !== old);
  await server.pause();
});
