/** File systems that are mounted under a directory. Needs root. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import { directoryLister } from "./list-directory.ts";

const { signal } = new AbortController();
const run = promisify(execFile);
const mountTemporary = (place: string) => run("mount", ["-t", "tmpfs", "tmpfs", place]);
const unmountAtOnce = (place: string) => run("umount", ["--lazy", place]);

const trial = await mkdtemp(join(tmpdir(), "stowage-mount-"));
const canMount = await mountTemporary(trial).then(
  () => true,
  () => false,
);
if (canMount) await unmountAtOnce(trial);
await rm(trial, { recursive: true });

describe("a directory under which a file system is mounted", {
  skip: !canMount && "nothing can be mounted here",
}, () => {
  let root: string;
  const mounted = () => join(root, "media");
  const list = () => directoryLister({ root, excluded: new Set() }).list(signal);

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "stowage-mounted-"));
    await mkdir(mounted());
    await mountTemporary(mounted());
    for (let number = 0; number < 600; number++) {
      const folder = join(mounted(), `${number % 3}`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, String(number).padStart(3, "0")), "");
    }
  });
  afterEach(async () => {
    await unmountAtOnce(mounted()).catch(() => undefined);
    await rm(root, { recursive: true });
  });

  it("fails if that is unmounted while it is listed", async () => {
    const pages = list()[Symbol.asyncIterator]();
    await pages.next();
    await unmountAtOnce(mounted());
    await assert.rejects(pages.next(), /"media\/" is on another file system than before/);
  });

  it("is listed if directories of that vanish meanwhile", async () => {
    const pages = list()[Symbol.asyncIterator]();
    await pages.next();
    await rm(join(mounted(), "1"), { recursive: true });
    await rm(join(mounted(), "2"), { recursive: true });
    for (let result = await pages.next(); !result.done; result = await pages.next()) {
      assert.deepEqual(result.value.leftOut, []);
    }
  });
});
