/** File systems that are mounted under a directory. Needs root. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import { directoryLister } from "./list-directory.ts";
import { listInProcess } from "./list-in-process.ts";

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

  describe("when it is listed again without that", () => {
    const lister = (knownMounts: readonly string[], directory = root) =>
      listInProcess({ directory, exclude: [], dataFolders: [], knownMounts });
    const everything = { after: undefined, until: undefined };
    const listAll = (from: ReturnType<typeof lister>) =>
      Array.fromAsync(from.list(everything, signal));

    it("cannot be read there, so that everything stays", async () => {
      const before = lister([]);
      await listAll(before);
      assert.deepEqual(before.mounts, { found: [mounted()], missing: [] });
      await unmountAtOnce(mounted());
      const after = lister(before.mounts.found);
      const pages = await listAll(after);
      assert.deepEqual(
        pages.flatMap(({ leftOut }) => leftOut.map(({ key, isUnreadable }) => [key, isUnreadable])),
        [["media/", true]],
      );
      assert.deepEqual(after.mounts.missing, [mounted()]);
    });

    it("proves nothing if that is unmounted after the listing", async () => {
      const listed = lister([]);
      await listAll(listed);
      assert.deepEqual(await listed.find(["media/0/000", "media/none"], signal), [
        "present",
        "absent",
      ]);
      await unmountAtOnce(mounted());
      await assert.rejects(listed.find(["media/0/000"], signal), /nothing is mounted at .*media/);
    });

    it("fails if the directory itself was on it", async () => {
      const directory = join(mounted(), "0");
      const before = lister([], directory);
      await listAll(before);
      assert.deepEqual(before.mounts.found, [mounted()]);
      await unmountAtOnce(mounted());
      await mkdir(directory);
      const after = lister(before.mounts.found, directory);
      await assert.rejects(listAll(after), /nothing is mounted at .*media any more/);
      await rm(directory, { recursive: true });
    });
  });
});
