/** The servers that all test files of a run share: PostgreSQL, and two that only some need. */
import { readFile } from "node:fs/promises";
import {
  cephIsMissing,
  chromiumMissing,
  makeTemporaryFolder,
  startCeph,
  startTestServer,
} from "@stowage/process/testing";
import { sharing, startPrograms } from "../page/testing/world.ts";

interface SharedServers extends AsyncDisposable {
  /** Which PostgreSQL it is, as in `system 15`. */
  readonly label: string;
  /** With which the tests find the servers. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Starts them.
 *
 * @param bin folder of the programs of PostgreSQL; undefined for those from npm.
 * @param files test files, by their path.
 */
export async function startSharedServers(
  bin: string | undefined,
  files: readonly string[],
): Promise<SharedServers> {
  await using stack = new AsyncDisposableStack();
  const server = await startTestServer(bin === undefined ? {} : { bin });
  stack.defer(() => server.stop());
  const temporary = await makeTemporaryFolder();
  stack.defer(() => temporary.remove());
  const label = `${bin === undefined ? "embedded" : "system"} ${server.major}`;
  const environment = {
    TEST_DATABASE_URL: server.databaseUrl,
    TEST_POSTGRES: label,
    // Tests that are killed leave files there, and servers. Both end with the folder.
    TMPDIR: temporary.path,
  };

  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const isUsed = (name: RegExp) => texts.some((text) => name.test(text));
  if (!cephIsMissing && isUsed(/cephIsMissing/)) {
    const store = await startCeph();
    stack.defer(() => store.stop());
    Object.assign(environment, store.sharing);
  }
  if (!chromiumMissing && isUsed(/sharedWorld|openWorld/)) {
    // Its database is on the same server.
    process.env.TEST_DATABASE_URL = server.databaseUrl;
    Object.assign(environment, sharing(stack.use(await startPrograms())));
  }
  const started = stack.move();
  return { label, environment, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
