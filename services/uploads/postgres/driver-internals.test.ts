import assert from "node:assert/strict";
import { it } from "node:test";
import pg from "pg";
import { connectionOf, prepareValue } from "./driver-internals.ts";

const methods = ["attachListeners", "parse", "bind", "execute", "flush", "sync"] as const;

it("the driver still has the private parts that postgres/ relies on", () => {
  const connection = connectionOf(new pg.Client());
  assert.ok("_queryable" in new pg.Client(), "client._queryable is missing");
  const advice = "this version of pg moved it: adapt postgres/driver-internals.ts";
  assert.equal(typeof connection, "object", `client.connection is missing; ${advice}`);
  for (const method of methods) {
    assert.equal(
      typeof connection[method],
      "function",
      `connection.${method}() is missing; ${advice}`,
    );
  }
  assert.deepEqual(connection.parsedStatements, {}, `connection.parsedStatements: ${advice}`);
  for (const method of ["cork", "uncork", "pause", "resume"] as const) {
    assert.equal(typeof connection.stream[method], "function", `stream.${method}(): ${advice}`);
  }
  assert.equal(prepareValue(["a", null]), '{"a",NULL}', `pg.utils.prepareValue(): ${advice}`);
});
