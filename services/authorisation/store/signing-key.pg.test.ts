import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { it } from "node:test";
import { createLogger, openPool } from "@stowage/process";
import { createTestDatabase } from "@stowage/process/testing";
import { calculateJwkThumbprint } from "jose";
import { authSchema } from "../testing/test-service.ts";
import { ensureSigningKey } from "./signing-key.ts";

it("processes that start together on a new database agree on one key", async () => {
  const database = await createTestDatabase(authSchema);
  const pools = Array.from({ length: 6 }, () =>
    openPool({
      databaseUrl: database.databaseUrl,
      connectionsMax: 1,
      applicationName: "test",
      logger: createLogger({ name: "test", level: "silent" }),
    }),
  );

  const keys = await Promise.all(pools.map(ensureSigningKey));
  assert.equal(new Set(keys.map(({ privateKeyPem }) => privateKeyPem)).size, 1);
  const later = await Promise.all(pools.map(ensureSigningKey));
  assert.deepEqual(later, keys);

  const [key] = keys;
  const jwk = createPrivateKey(key?.privateKeyPem ?? "").export({ format: "jwk" });
  assert.equal(key?.keyId, await calculateJwkThumbprint(jwk as Record<string, string>));

  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});
