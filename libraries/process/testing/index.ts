export { type CephServer, cephIsMissing, startCeph } from "./ceph.ts";
export { checkMigrations } from "./check-migrations.ts";
export { chromiumMissing, patienceMs, startChromium } from "./chromium.ts";
export { type DatabaseRelay, relayDatabase } from "./database-relay.ts";
export { describeSchema } from "./describe-schema.ts";
export { findPort, type ListeningServer, listen } from "./listen.ts";
export { randomCases } from "./random-cases.ts";
export { faultsOfServer, type ServerFaults } from "./server-faults.ts";
export {
  type EndedProcess,
  type StartedProcess,
  type StartOptions,
  startNode,
  startProcess,
} from "./start-process.ts";
export { findSystemPostgres } from "./system-postgres.ts";
export { makeTemporaryFolder, type TemporaryFolder } from "./temporary-folder.ts";
export {
  createTestDatabase,
  type PreparedContent,
  type TestDatabase,
  type TestSchema,
  withClient,
} from "./test-database.ts";
export { startTestServer, type TestServer, type TestServerOptions } from "./test-server.ts";
export { until } from "./until.ts";
