import assert from "node:assert/strict";
import { readFileSync, readlinkSync } from "node:fs";
import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryFolder } from "../../testing/sample-program.ts";
import { writePrivate } from "./write-private.ts";

describe("writePrivate()", () => {
  it("makes a file for its owner only, in place of one that exists", async (test) => {
    const path = join(await temporaryFolder(test), "secret");
    for (const text of ["first", "second"]) {
      await writePrivate(path, text, undefined);
      assert.equal(await readFile(path, "utf8"), text);
      assert.equal((await stat(path)).mode & 0o777, 0o600);
    }
  });

  it("syncs the complete file before it gets its name, and the folder afterwards", async (test) => {
    const folder = await temporaryFolder(test);
    const path = join(folder, "secret");
    const synced: [path: string, text?: string][] = [];
    await onSync(test, (at) => {
      synced.push(
        at === folder ? [at, readFileSync(path, "utf8")] : [at, readFileSync(at, "utf8")],
      );
    });
    await writePrivate(path, "text", undefined);
    assert.deepEqual(synced, [
      [`${path}.partial`, "text"],
      [folder, "text"],
    ]);
  });

  it("accepts a file system that cannot sync folders", async (test) => {
    const folder = await temporaryFolder(test);
    await onSync(test, (at) => {
      if (at === folder) throw Object.assign(new Error("invalid argument"), { code: "EINVAL" });
    });
    await writePrivate(join(folder, "secret"), "text", undefined);
  });
});

/** Calls the function with the path of each file or folder in place of syncing it. */
async function onSync(test: TestContext, act: (path: string) => void): Promise<void> {
  await using file = await open("/dev/null");
  test.mock.method(
    Object.getPrototypeOf(file) as FileHandle,
    "sync",
    async function (this: FileHandle) {
      act(readlinkSync(`/proc/self/fd/${this.fd}`));
    },
  );
}
