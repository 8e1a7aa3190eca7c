import assert from "node:assert/strict";
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

describe("a data folder that two containers share", needsContainers, () => {
  it("has one server, and another one after the container that runs it is killed", async (test) => {
    const dataDir = await temporaryFolder(test);
    const first = startInContainer(dataDir);
    const address = await addressOf(first);
    await withClient(address, (client) => client.query("create table t ()"));
    const second = startSample(dataDir);
    assert.equal(await addressOf(second), address);

    first.kill("SIGKILL");
    const third = startSample(dataDir);
    assert.equal(await addressOf(third), address);
    await withClient(address, (client) => client.query("select from t"));
    for (const program of [second, third]) program.kill("SIGTERM");
    for (const { ended } of [second, third]) assert.equal((await ended).exitCode, 0);
    assert.equal(await serverProcess(dataDir), undefined);
  });
});
