import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { sampleArguments, temporaryFolder } from "../../testing/sample-program.ts";
import { startProcess } from "../../testing/start-process.ts";
import { explainFullDisk } from "./full-disk.ts";

const trying = startProcess("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).ended;
const canMount = (await trying.catch(() => undefined))?.exitCode === 0;
const needsMount = canMount ? {} : { skip: "this user cannot mount a small disk" };

it(
  "a full disk is named at the first start, and the next one has room",
  needsMount,
  async (test) => {
    const disk = await temporaryFolder(test);
    const script = `
    mount -t tmpfs -o size=20m,mode=711 tmpfs "$0"
    "$@"
    mount -o remount,size=200m "$0"
    exec "$@"`;
    const parameters = ["-m", "sh", "-c", script, disk, process.execPath, ...sampleArguments];
    const program = startProcess("unshare", parameters, {
      cwd: import.meta.dirname,
      env: { SAMPLE_DIR: join(disk, "data") },
    });
    await program.line(/^open /);
    program.kill("SIGTERM");
    const { exitCode, stderr } = await program.ended;
    assert.equal(exitCode, 0);
    const cluster = join(disk, "data", "postgres", "cluster");
    const error = /^sample: .*/m.exec(stderr)?.[0] ?? stderr;
    assert.match(error, /the disk of this folder is full: it has \d\d? MB free, need 100 MB/);
    assert.ok(error.startsWith(`sample: Cannot open the database in ${cluster}:`), error);
  },
);

it("another error is kept, also if the log tells of a disk that was full earlier", async (test) => {
  const cluster = join(await temporaryFolder(test), "cluster");
  for (const message of ["Cannot start: no memory", "no memory\nPANIC: No space left on device"]) {
    const other = new Error(message);
    assert.equal(await explainFullDisk(other, cluster), other);
  }
});
