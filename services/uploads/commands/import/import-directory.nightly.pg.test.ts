import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { UploadType } from "@stowage/api/svc/api/v1/upload_pb";
import type { TestDatabase } from "@stowage/process/testing";
import {
  bucketLine,
  colour,
  createUploadsDatabase,
  folderPath,
  importLines,
  isOfBucket,
  readTables,
  select,
} from "../../import/testing/import.ts";
import {
  deterministicBucketId,
  deterministicFolderId,
  deterministicUploadId,
} from "../../model/deterministic-ids.ts";
import { runProgram } from "../testing/program.ts";

let database: TestDatabase;
let directory: string;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());
beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "stowage-directory-")));
});
afterEach(() => rm(directory, { recursive: true }));

let count = 0;
/** Each test has a bucket of its own. */
function newHostname(): string {
  count += 1;
  return `directory-${count}.example.com`;
}

function importDirectory(hostname: string, ...options: string[]) {
  const { databaseUrl } = database;
  const parameters = ["dir", directory, "--bucket", hostname, "--organisation", hostname];
  return runProgram([...parameters, ...options], { databaseUrl });
}

async function write(path: string, content = "content"): Promise<void> {
  await mkdir(join(directory, path, ".."), { recursive: true });
  await writeFile(join(directory, path), content);
}

function uploadsOf(hostname: string, columns: string) {
  const text = `select ${columns} from uploads.uploads join uploads.buckets using (bucket_number)
    where hostname = $1 order by path, filename`;
  return select(database.databaseUrl, text, [hostname]);
}

async function foldersOf(hostname: string) {
  const text = `select ${folderPath}, folder_id
    from uploads.folders join uploads.buckets using (bucket_number)
    where hostname = $1 order by tree_key`;
  return Object.fromEntries(
    (await select<{ path: string; folder_id: string }>(database.databaseUrl, text, [hostname])).map(
      ({ path, folder_id }) => [path, folder_id],
    ),
  );
}

describe("importing a directory", () => {
  it("makes uploads from files and folders from directories, also from empty ones", async () => {
    const hostname = newHostname();
    await write("a.jpg", "12345");
    await write("b c/ü/main.ts", "");
    await mkdir(join(directory, "empty/inner"), { recursive: true });
    const { exitCode, output, errors } = await importDirectory(hostname);
    assert.deepEqual({ exitCode, errors }, { exitCode: 0, errors: "" });
    assert.equal(
      output,
      `imported 2 uploads and 5 folders into ${hostname} (buckets: 1 new): ` +
        "7 new, 0 changed, 0 unchanged\n",
    );
    const bucketId = deterministicBucketId(hostname);
    const columns = "bucket_id, upload_id, path, filename, slug, size_bytes, type, tags";
    assert.deepEqual(await uploadsOf(hostname, columns), [
      {
        bucket_id: bucketId,
        upload_id: deterministicUploadId(bucketId, "/", "a.jpg"),
        path: "/",
        filename: "a.jpg",
        slug: null,
        size_bytes: "5",
        type: UploadType.IMAGE,
        tags: null,
      },
      {
        bucket_id: bucketId,
        upload_id: deterministicUploadId(bucketId, "/b c/ü", "main.ts"),
        path: "/b c/ü",
        filename: "main.ts",
        slug: null,
        size_bytes: "0",
        type: UploadType.TEXT,
        tags: null,
      },
    ]);
    const paths = ["/", "/b c", "/b c/ü", "/empty", "/empty/inner"];
    assert.deepEqual(
      await foldersOf(hostname),
      Object.fromEntries(paths.map((path) => [path, deterministicFolderId(bucketId, path)])),
    );
  });

  it("truncates the times of files to microseconds, also before 1970", async () => {
    const hostname = newHostname();
    await write("new");
    await write("old");
    await utimes(join(directory, "old"), new Date(0), new Date(-1500));
    await importDirectory(hostname);
    const columns = `filename, created_at <= updated_at as in_order, updated_at::text,
      now() - updated_at < '1 minute' as recent`;
    const [fresh, old] = await uploadsOf(hostname, columns);
    assert.deepEqual([fresh?.in_order, fresh?.recent], [true, true]);
    assert.match(String(fresh?.updated_at), /\.\d{4,6}\+00$/);
    assert.deepEqual([old?.in_order, old?.updated_at], [true, "1969-12-31 23:59:58.5+00"]);
  });

  it("changes nothing the second time, and prints so", async () => {
    const hostname = newHostname();
    await write("a/b.txt");
    await write("c.txt");
    await mkdir(join(directory, "empty"));
    await importDirectory(hostname);
    const before = await readTables(database.databaseUrl);
    const { exitCode, output } = await importDirectory(hostname);
    assert.equal(exitCode, 0);
    assert.equal(
      output,
      `imported 2 uploads and 3 folders into ${hostname}: 0 new, 0 changed, 5 unchanged\n`,
    );
    assert.deepEqual(await readTables(database.databaseUrl), before);
  });

  it("updates changed files, and keeps fields that a directory does not have", async () => {
    const hostname = newHostname();
    await write("a.txt");
    await write("b.txt");
    await importDirectory(hostname);
    const bucketId = deterministicBucketId(hostname);
    const uploadId = deterministicUploadId(bucketId, "/", "a.txt");
    await importLines(database.databaseUrl, [
      bucketLine(bucketId, { hostname, organisationId: hostname, primary: true }),
      {
        upload: {
          uploadId,
          path: "/moved",
          filename: "named.txt",
          slug: "own-slug",
          sizeBytes: 1,
          tags: ["t"],
          order: 5,
        },
      },
      { folder: { path: "/", colour: "red" } },
    ]);
    await write("a.txt", "longer content");
    const { output } = await importDirectory(hostname);
    assert.match(
      output,
      /imported 2 uploads and 1 folder into .*: 0 new, 1 changed, 2 unchanged\n$/,
    );
    const columns = 'upload_id, path, filename, filename_folded, slug, size_bytes, tags, "order"';
    assert.deepEqual((await uploadsOf(hostname, columns))[0], {
      upload_id: uploadId,
      path: "/",
      filename: "a.txt",
      filename_folded: null,
      slug: "own-slug",
      size_bytes: "14",
      tags: ["t"],
      order: 5,
    });
    const folders = `select ${colour} from uploads.folders where ${isOfBucket} and tree_key = ''`;
    assert.deepEqual(await select(database.databaseUrl, folders, [bucketId]), [{ colour: "red" }]);
  });

  it("leaves out symbolic links and sockets, and prints how many there were", async () => {
    const hostname = newHostname();
    await write("target/file");
    await symlink("target", join(directory, "link"));
    await symlink("target/file", join(directory, "link2"));
    await symlink("nowhere", join(directory, "link3"));
    const server = createServer().listen(join(directory, "socket"));
    try {
      const { output, exitCode } = await importDirectory(hostname);
      assert.equal(exitCode, 0);
      assert.match(output, /; 3 symbolic links not followed; 1 socket or device left out\n$/);
    } finally {
      server.close();
    }
    assert.deepEqual(await uploadsOf(hostname, "path"), [{ path: "/target" }]);
  });

  it("leaves out the paths of --exclude, and prints how many existed", async () => {
    const hostname = newHostname();
    for (const path of ["a/b/file", "a/c", "d/file", "kept/a/c"]) await write(path);
    const options = ["a/b", "./a//c", "d/", "missing"].flatMap((path) => ["--exclude", path]);
    const { output, exitCode } = await importDirectory(hostname, ...options);
    assert.equal(exitCode, 0);
    assert.match(output, /; 3 files or directories excluded\n$/);
    assert.deepEqual(Object.keys(await foldersOf(hostname)), ["/", "/a", "/kept", "/kept/a"]);
    assert.deepEqual(await uploadsOf(hostname, "path"), [{ path: "/kept/a" }]);
  });

  for (const path of ["..", "a/../..", "/etc", "."]) {
    it(`refuses to leave out ${path}, with exit code 2`, async () => {
      const { exitCode, errors } = await importDirectory(newHostname(), "--exclude", path);
      assert.equal(exitCode, 2);
      assert.match(errors, /Need a path relative to the directory, and under it; see stowage /);
    });
  }

  it("writes bytes of names that are not UTF-8 as %XX", async () => {
    const hostname = newHostname();
    const inDirectory = (name: string) => Buffer.from(join(directory, name), "latin1");
    await mkdir(inDirectory("dir\xfe"));
    await writeFile(inDirectory("dir\xfe/%"), "");
    await writeFile(inDirectory("bad\xff%.txt"), "");
    const { exitCode, errors } = await importDirectory(hostname);
    assert.deepEqual({ exitCode, errors }, { exitCode: 0, errors: "" });
    assert.deepEqual(await uploadsOf(hostname, "path, filename, external_path"), [
      { path: "/", filename: "bad%FF%25.txt", external_path: "bad%FF%.txt" },
      { path: "/dir%FE", filename: "%25", external_path: "dir%FE/%" },
    ]);
  });

  it("accepts a symbolic link to the directory", async () => {
    const hostname = newHostname();
    await write("inner/file");
    await symlink("inner", join(directory, "link"));
    const options = ["--bucket", hostname, "--organisation", "o"];
    const { databaseUrl } = database;
    const { exitCode } = await runProgram(["dir", join(directory, "link"), ...options], {
      databaseUrl,
    });
    assert.equal(exitCode, 0);
    assert.deepEqual(await uploadsOf(hostname, "path"), [{ path: "/" }]);
  });
});

describe("an entry of a directory that cannot be imported", () => {
  it("is listed with path and reason; the rest is imported, and the exit code is 1", async () => {
    const hostname = newHostname();
    await write("good/file");
    let path = directory;
    const names = Array.from({ length: 7 }, (_, index) => `${index}`.repeat(160));
    for (const name of names) {
      path = join(path, name);
      await mkdir(path);
    }
    const { exitCode, output, errors } = await importDirectory(hostname);
    assert.equal(exitCode, 1);
    assert.match(output, /^imported 1 upload and 8 folders .*; 1 entry could not be imported\n$/);
    assert.deepEqual(errors.split("\n"), [
      `${path}: its path is 1127 bytes; need at most 1024`,
      `stowage: Cannot import all of ${directory}: 1 entry left out`,
      "",
    ]);
    assert.deepEqual(await uploadsOf(hostname, "path, filename"), [
      { path: "/good", filename: "file" },
    ]);
  });

  const canReadAll = process.getuid?.() === 0 ? "root may read every directory" : false;
  it("may be a directory without read permission", { skip: canReadAll }, async () => {
    const hostname = newHostname();
    await write("closed/file");
    await chmod(join(directory, "closed"), 0);
    try {
      const { exitCode, errors } = await importDirectory(hostname);
      assert.equal(exitCode, 1);
      assert.match(errors, /closed: permission denied \(EACCES\)\n/);
    } finally {
      await chmod(join(directory, "closed"), 0o700);
    }
  });

  for (const [what, name, reason] of [
    ["that is not there", "missing", "no such file or directory (ENOENT)"],
    ["that is a file", "file", "not a directory (ENOTDIR)"],
  ] as const) {
    it(`is a directory ${what}: nothing is done, and the exit code is 1`, async () => {
      await write("file");
      const path = join(directory, name);
      const outcome = await runProgram(["dir", path, "--bucket", "b", "--organisation", "o"], {
        databaseUrl: "postgresql://nobody@127.0.0.1:1/none",
      });
      const errors = `stowage: Cannot list ${path}: ${reason}\n`;
      assert.deepEqual(outcome, { exitCode: 1, output: "", errors });
    });
  }
});
