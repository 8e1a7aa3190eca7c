import assert from "node:assert/strict";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import fc from "fast-check";
import { type Key, keyOfBytes } from "../keys.ts";
import type { LeftOut, ListedPage } from "../lister.ts";
import type { ReadEntries } from "./key-order-walk.ts";
import { directoryLister } from "./list-directory.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "stowage-list-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const { signal } = new AbortController();

function list(options: { oneByOneMs?: number } = {}): AsyncIterable<ListedPage> {
  return directoryLister({ root, excluded: new Set(), ...options }).list(signal);
}

function listAll(): Promise<{ keys: Key[]; leftOut: LeftOut[] }> {
  return contentOf(list());
}

async function contentOf(listed: AsyncIterable<ListedPage>) {
  const pages = await Array.fromAsync(listed);
  const keys = pages.flatMap(({ objects }) => objects.map(({ key }) => key));
  return { keys, leftOut: pages.flatMap((page) => page.leftOut) };
}

/** A path in Latin-1, where each character is one byte. */
function at(path: string): Buffer {
  return Buffer.from(join(root, path), "latin1");
}

async function addFile(path: string): Promise<void> {
  await mkdir(at(join(path, "..")), { recursive: true });
  await writeFile(at(path), "content");
}

/** Empties the directory and adds the files; returns all keys that are then in it. */
async function makeTree(files: readonly string[]): Promise<ReadonlySet<string>> {
  await rm(root, { recursive: true });
  await mkdir(root);
  const keys = new Set<string>();
  for (const file of files) {
    // It fails if a name would be a file and a directory.
    const isAdded = await addFile(file).then(
      () => true,
      () => false,
    );
    if (!isAdded) continue;
    keys.add(file);
    const segments = file.split("/").slice(0, -1);
    for (const count of segments.keys()) keys.add(`${segments.slice(0, count + 1).join("/")}/`);
  }
  return keys;
}

/** Root may read everything. */
async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return await work();
  const nobody = 65_534;
  for (const path of ["", "closed", "names", "open"]) await chown(at(path), nobody, nobody);
  process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

const names = ["a", "a-", "a.b", "a0", "b", "b\xff", "\xc3\xa9", "%"];
const arbitraryFile = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join("/"));

describe("the listing of a directory", () => {
  it("is the same if files are looked at together", async () => {
    for (const name of ["a", "b/c", "b/\xff", "d/e/f"]) await addFile(name);
    const found = await contentOf(list({ oneByOneMs: 0 }));
    assert.deepEqual(found, await listAll());
    assert.equal(found.keys.length, 7);
  });

  it("has all files and directories in the byte order of keys", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(arbitraryFile, { maxLength: 12 }), async (files) => {
        const keys = await makeTree(files);
        const expected = [...keys]
          .map((key) => Buffer.from(key, "latin1"))
          .sort((a, b) => a.compare(b))
          .map(keyOfBytes);
        assert.deepEqual((await listAll()).keys, expected);
      }),
      { numRuns: 60 },
    );
  });

  for (const oneByOneMs of [0, 1000]) {
    it(`leaves out what vanishes or changes meanwhile (${oneByOneMs} ms)`, async () => {
      const first = Array.from({ length: 256 }, (_, index) => `0${String(index).padStart(3, "0")}`);
      for (const name of first) await addFile(name);
      await addFile("dir-gone/file");
      await addFile("dir-replaced/file");
      await addFile("file-gone");
      await addFile("file-replaced");
      await addFile("stays");
      const pages: ListedPage[] = [];
      for await (const page of list({ oneByOneMs })) {
        if (pages.length === 0) {
          await rm(at("dir-gone"), { recursive: true });
          await rename(at("dir-replaced"), at("elsewhere"));
          await writeFile(at("dir-replaced"), "");
          await rm(at("file-gone"));
          await rm(at("file-replaced"));
          await mkdir(at("file-replaced"));
        }
        pages.push(page);
      }
      const keys = pages.flatMap(({ objects }) => objects.map(({ key }) => key));
      assert.deepEqual(keys, [...first, "stays"]);
      assert.deepEqual(
        pages.flatMap((page) => page.leftOut),
        [],
      );
    });
  }

  it("does not follow links in circles", async () => {
    await addFile("a/b/file");
    await symlink("..", join(root, "a/b/up"));
    await symlink(root, join(root, "a/root"));
    await symlink("self", join(root, "self"));
    assert.deepEqual((await listAll()).keys, ["a/", "a/b/", "a/b/file"]);
  });

  it("says what it could not list", async () => {
    let path = "";
    for (const name of ["1", "2", "3", "4", "5"]) {
      path += `${name.repeat(250)}/`;
      await mkdir(at(path));
    }
    assert.deepEqual(await listAll(), {
      keys: [1, 2, 3, 4].map((count) => path.slice(0, count * 251)),
      leftOut: [
        { key: path, reason: "its path is 1255 bytes; need at most 1024", isUnreadable: false },
      ],
    });
  });

  it("says what may not be read, so that it is not taken for gone", async () => {
    await addFile("closed/file");
    await addFile("names/file");
    await addFile("open/file");
    await chmod(at("closed"), 0);
    await chmod(at("names"), 0o444);
    const { keys, leftOut } = await asOrdinaryUser(() => listAll());
    const reason = "permission denied (EACCES)";
    assert.deepEqual(keys, ["names/", "open/", "open/file"]);
    assert.deepEqual(leftOut, [
      { key: "closed/", reason, isUnreadable: true },
      { key: "names/file", reason, isUnreadable: true },
    ]);
    await chmod(at("closed"), 0o700);
    await chmod(at("names"), 0o700);
  });

  describe("on a file system that does not tell types", () => {
    // Node then looks at each entry, and fails if one has vanished.
    const isVanished = (code: string) => Object.assign(new Error(`${code}: lstat`), { code });

    function listWith(failure: (location: string) => Error | undefined) {
      const readEntries: ReadEntries = async (location) => {
        const error = failure(location.toString());
        if (error !== undefined) throw error;
        return await readdir(location, { withFileTypes: true, encoding: "buffer" });
      };
      const lister = directoryLister({ root, excluded: new Set(), readEntries });
      return contentOf(lister.list(signal));
    }

    for (const code of ["ENOENT", "ENOTDIR"]) {
      it(`reads a directory again from which an entry vanished (${code})`, async () => {
        await addFile("a/b/file");
        await addFile("c");
        const failed = new Set<string>();
        const once = (location: string) => {
          if (failed.has(location)) return undefined;
          failed.add(location);
          return isVanished(code);
        };
        const expected = { keys: ["a/", "a/b/", "a/b/file", "c"], leftOut: [] };
        assert.deepEqual(await listWith(once), expected);
      });
    }

    it("says which directory it could not read, so that it is not taken for gone", async () => {
      await addFile("a/b/file");
      await addFile("c");
      const inA = (location: string) =>
        location === join(root, "a") ? isVanished("ENOENT") : undefined;
      const reason = "its entries change while it is read";
      assert.deepEqual(await listWith(inA), {
        keys: ["c"],
        leftOut: [{ key: "a/", reason, isUnreadable: true }],
      });
    });
  });

  it("fails if the directory itself is gone", async () => {
    await rm(root, { recursive: true });
    await assert.rejects(listAll(), { code: "ENOENT" });
  });
});

describe("a directory that loses its file system", () => {
  const names = Array.from({ length: 600 }, (_, number) => `folder/${number}`);
  beforeEach(async () => {
    await makeTree(names);
  });
  afterEach(() => rm(`${root}.before`, { recursive: true, force: true }));

  async function unmount(): Promise<void> {
    await rename(root, `${root}.before`);
    await mkdir(root);
  }

  it("fails while it is listed", async () => {
    const pages = list()[Symbol.asyncIterator]();
    await pages.next();
    await unmount();
    await assert.rejects(pages.next(), /is another directory than before/);
  });
});
