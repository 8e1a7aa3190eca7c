import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  addressOf,
  sampleArguments,
  serverProcess,
  startSample,
  temporaryFolder,
} from "../../testing/sample-program.ts";
import { type StartedProcess, startProcess } from "../../testing/start-process.ts";
import { withClient } from "../../testing/test-database.ts";

/** Runs a command as in a container of its own: it sees no process or port of this one. */
const container = [
  "--pid",
  "--net",
  "--ipc",
  "--mount-proc",
  "--fork",
  "--kill-child",
  ...(process.getuid?.() === 0 ? [] : ["--map-current-user"]),
];
const probe = startProcess("unshare", [...container, "true"]).ended;
const hasContainers = (await probe.catch(() => undefined))?.exitCode === 0;
const needsContainers = hasContainers ? {} : { skip: "this system gives no namespaces" };

function startInContainer(dataDir: string): StartedProcess {
  return startProcess("unshare", [...container, process.execPath, ...sampleArguments], {
    cwd: import.meta.dirname,
    env: { SAMPLE_DIR: dataDir },
  });
}

const advice = /its server runs where this program cannot see it, .* set DATABASE_URL on both/;

describe("a data folder that two containers share", needsContainers, () => {
  it("is refused to the second one, which changes nothing", async (test) => {
    const dataDir = await temporaryFolder(test);
    const first = startSample(dataDir);
    const address = await addressOf(first);
    const home = join(dataDir, "postgres");
    const pidFile = join(home, "cluster", "postmaster.pid");
    const before = [await readFile(pidFile, "utf8"), await readdir(join(home, "leases"))];

    const { exitCode, stderr } = await startInContainer(dataDir).ended;
    assert.match(stderr, advice);
    assert.equal(exitCode, 1);
    assert.deepEqual(
      [await readFile(pidFile, "utf8"), await readdir(join(home, "leases"))],
      before,
    );
    await withClient(address, (client) => client.query("create table t ()"));
    first.kill("SIGTERM");
    assert.equal((await first.ended).exitCode, 0);
  });

  it("is refused until the server ends, also if its programs were killed", async (test) => {
    const dataDir = await temporaryFolder(test);
    const first = startSample(dataDir);
    await addressOf(first);
    first.kill("SIGKILL");
    await first.ended;
    assert.match((await startInContainer(dataDir).ended).stderr, advice);

    process.kill((await serverProcess(dataDir)) ?? 0, "SIGKILL");
    const second = startSample(dataDir);
    await addressOf(second);
    second.kill("SIGTERM");
    assert.equal((await second.ended).exitCode, 0);
  });
});
