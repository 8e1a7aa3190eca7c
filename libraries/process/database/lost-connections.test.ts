import assert from "node:assert/strict";
import { Socket } from "node:net";
import { it } from "node:test";
import pg from "pg";

it("the driver still has the private parts that lost-connections.ts relies on", () => {
  const client = new pg.Client() as unknown as Record<string, { stream: unknown }>;
  assert.ok(client.connection?.stream instanceof Socket);
  assert.equal(client.processID, null);
  assert.equal(client._ending, false);
  // It appears when the client is connected.
  assert.equal(client.readyForQuery, undefined);
});
