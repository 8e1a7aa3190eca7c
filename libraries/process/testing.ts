export { createTestDatabase, type TestDatabase } from "./testing/test-database.ts";
export { startTestServer, type TestServer, type TestServerOptions } from "./testing/test-server.ts";
