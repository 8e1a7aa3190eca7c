import { startTestServer } from "./test-server.ts";

let started: Promise<string> | undefined;

/**
 * The server that tests use: the one at TEST_DATABASE_URL, which `npm test` sets, or, for a test file
 * run by hand, one started for this process and stopped as it exits.
 */
export function testServerUrl(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return Promise.resolve(given);
  started ??= startForThisProcess();
  return started;
}

async function startForThisProcess(): Promise<string> {
  const server = await startTestServer();
  process.once("exit", () => server.stopNow());
  return server.databaseUrl;
}
