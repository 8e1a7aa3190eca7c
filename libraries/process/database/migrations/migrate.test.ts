import assert from "node:assert/strict";
import { it } from "node:test";
import type pg from "pg";
import { requireSuitableServer } from "./migrate.ts";

// Replaces a server that is too old, which the tests do not have.
function serverOf(number: number, version: string): pg.Client {
  const query = async () => ({ rows: [{ number, version, encoding: "UTF8" }] });
  return { query } as unknown as pg.Client;
}

it("requireSuitableServer() refuses a server older than PostgreSQL 15", async () => {
  await assert.rejects(
    requireSuitableServer(serverOf(140_012, "14.12")),
    /Cannot use the database: the server is PostgreSQL 14\.12, need 15 or newer/,
  );
  await requireSuitableServer(serverOf(150_000, "15.0"));
});
