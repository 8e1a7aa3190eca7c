import { startTestServer } from "./test-server.ts";

let started: Promise<string> | undefined;

/**
 * The server that tests use: the one at TEST_DATABASE_URL, which `npm test` sets, or, for a test
 * file run by hand, one started for this process, which ends with it.
 */
export function testServerUrl(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return Promise.resolve(given);
  started ??= startTestServer().then((server) => server.databaseUrl);
  return started;
}
