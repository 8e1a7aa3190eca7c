export { checkMigrations } from "./testing/check-migrations.ts";
export { type DatabaseRelay, relayDatabase } from "./testing/database-relay.ts";
export { describeSchema } from "./testing/describe-schema.ts";
export {
  type EndedProcess,
  type StartedProcess,
  type StartOptions,
  startNode,
  startProcess,
} from "./testing/start-process.ts";
export { findSystemPostgres } from "./testing/system-postgres.ts";
export { makeTemporaryFolder, type TemporaryFolder } from "./testing/temporary-folder.ts";
export { createTestDatabase, type TestDatabase, type TestSchema } from "./testing/test-database.ts";
export { startTestServer, type TestServer, type TestServerOptions } from "./testing/test-server.ts";
