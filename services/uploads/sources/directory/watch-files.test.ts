import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, it } from "node:test";
import { promisify } from "node:util";
import { makeTemporaryFolder, randomCases, until } from "@stowage/process/testing";
import fc from "fast-check";
import { bytesOfKey, type Key, keyOfBytes } from "../keys.ts";
import { type FindOptions, findFiles, readFiles } from "./find-files.ts";
import { directoryLister } from "./list-directory.ts";
import { watchFiles } from "./watch-files.ts";

let parent: string;
let root: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  const folder = await makeTemporaryFolder();
  ({ path: parent, remove } = folder);
  root = join(parent, "root");
  await mkdir(root);
});
afterEach(() => remove());

const latin1Of = (key: Key) => bytesOfKey(key).toString("latin1");
const keyOf = (path: string) => keyOfBytes(Buffer.from(path, "latin1"));

/** The files that a listing has, each with its size, by the bytes of their paths. */
async function listed(options: FindOptions): Promise<Map<string, number>> {
  const pages = await Array.fromAsync(directoryLister(options).list(new AbortController().signal));
  const objects = pages.flatMap(({ objects }) => objects);
  return new Map(
    objects
      .map(({ key, sizeBytes }): [string, number] => [latin1Of(key), sizeBytes])
      .filter(([key]) => !key.endsWith("/")),
  );
}

/** Watches, and reads what changed as small runs and whole runs do. */
async function follow(excluded: readonly string[] = []) {
  let files = new Map<string, number>();
  let wholeRuns = 0;
  let isEnding = false;
  const options = { root, excluded: new Set(excluded) };
  const look = async (changed: readonly Key[]) => {
    const read = new Map<string, number>();
    for (const { key, sizeBytes } of await readFiles(changed, options)) {
      read.set(latin1Of(key), sizeBytes);
      if (!latin1Of(key).endsWith("/")) files.set(latin1Of(key), sizeBytes);
    }
    const starts = changed
      .map(latin1Of)
      .filter((key) => !read.has(`${key}/`))
      .map((key) => (key.endsWith("/") ? key : `${key}/`));
    const known = [...files.keys()].filter(
      (file) =>
        !read.has(file) &&
        (changed.includes(keyOf(file)) || starts.some((start) => file.startsWith(start))),
    );
    const presences = await findFiles(known.map(keyOf), options);
    for (const [index, file] of known.entries()) {
      if (presences[index] === "absent") files.delete(file);
    }
  };
  const ended = (async () => {
    for await (const changed of watchFiles(options)) {
      if (isEnding) return;
      if (changed === "everything") {
        files = await listed(options);
        wholeRuns += 1;
      } else await look(changed);
    }
  })();
  await until("it is watched", async () => wholeRuns === 1);
  return {
    wholeRuns: () => wholeRuns,
    files: () => files,
    untilSame: () =>
      until("what is known is what there is", async () => {
        const found = await listed(options);
        return (
          files.size === found.size && [...found].every(([key, size]) => files.get(key) === size)
        );
      }),
    async end() {
      isEnding = true;
      await writeFile(join(root, "the end"), "");
      await ended;
    },
  };
}

const name = fc.constantFrom("a", "b", "c", "é");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const change = fc.record({
  kind: fc.constantFrom(
    ...["write", "write", "write", "make folder", "remove", "move", "move"],
    ...["move out", "move in", "link", "swap"],
  ),
  path,
  to: path,
  sizeBytes: fc.nat(3),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function make({ kind, path, to, sizeBytes }: Change): void {
  const [place, other] = [join(root, path), join(root, to)];
  const outside = join(parent, to.replaceAll("/", "-"));
  if (kind === "write") {
    mkdirSync(join(place, ".."), { recursive: true });
    writeFileSync(place, "x".repeat(sizeBytes));
  } else if (kind === "make folder") mkdirSync(place, { recursive: true });
  else if (kind === "remove") rmSync(place, { recursive: true });
  else if (kind === "move") renameSync(place, other);
  else if (kind === "move out") renameSync(place, outside);
  else if (kind === "move in") renameSync(outside, place);
  else if (kind === "link") symlinkSync(other, place);
  else {
    renameSync(place, outside);
    renameSync(other, place);
    renameSync(outside, other);
  }
}

it("tells of all that changes, in random histories", async () => {
  const followed = await follow();
  // Together they must be far from the limit at once.
  const burst = fc.array(change, { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 4 }), async (bursts) => {
      for (const changes of bursts) {
        for (const each of changes) {
          try {
            make(each);
          } catch {
            // There is nothing, or something else.
          }
          // What is new is watched at different moments.
          if (each.sizeBytes === 0) await new Promise(setImmediate);
        }
        await followed.untilSame();
      }
    }),
    // What it knows is of all histories so far: a shorter one shows nothing.
    { numRuns: randomCases(40), endOnFailure: true },
  );
  assert.equal(followed.wholeRuns(), 1);
  await followed.end();
});

it("tells of names that are no text, and not of what is left out", async () => {
  await mkdir(join(root, "hidden"));
  const followed = await follow([join(root, "hidden")]);
  const bytes = Buffer.from([0x61, 0xff]);
  writeFileSync(join(root, "hidden/file"), "");
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), bytes]), "12");
  await until("it is known", async () => followed.files().get("a\xff") === 2);
  assert.deepEqual([...followed.files().keys()], ["a\xff"]);
  assert.ok(keyOfBytes(bytes) instanceof Uint8Array);
  await followed.end();
});

it("begins anew after more events than it takes at once", async () => {
  const followed = await follow();
  // The system drops the last events, since its queue of 16,384 is full.
  for (let number = 0; number < 9000; number++) writeFileSync(join(root, `${number}`), "1");
  mkdirSync(join(root, "folder"));
  writeFileSync(join(root, "folder/file"), "");
  await followed.untilSame();
  await until("it began anew", () => followed.wholeRuns() === 2);
  writeFileSync(join(root, "folder/new"), "");
  await followed.untilSame();
  assert.equal(followed.wholeRuns(), 2);
  await followed.end();
});

it("fails when the root is gone", async () => {
  const watched = watchFiles({ root: join(root, "none"), excluded: new Set() });
  await assert.rejects(watched.next(), { code: "ENOENT" });
});

const run = promisify(execFile);
const limited = (command: string) =>
  run("unshare", ["-Ur", "sh", "-c", `echo 3 > /proc/sys/user/max_inotify_watches; ${command}`]);
const cannotLimit = await limited("true").then(
  () => false,
  () => "the number of watches cannot be limited here",
);

it("names the limit that the system sets", { skip: cannotLimit }, async () => {
  for (const folder of ["a", "b", "c"]) await mkdir(join(root, folder));
  const module = new URL("watch-files.ts", import.meta.url);
  const program = `
    import { watchFiles } from "${module}";
    const watched = watchFiles({ root: "${root}", excluded: new Set() });
    await watched.next().catch((error) => console.log(error.message));
    process.exit();`;
  const command = `"${process.execPath}" --input-type=module --eval '${program}'`;
  const { stdout } = await limited(command);
  assert.match(stdout, /^the system allows no more watches: raise fs.inotify.max_user_watches/);
  await rm(join(root, "a"), { recursive: true });
});
