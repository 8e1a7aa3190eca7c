/** What the page says of sources: while one is being synchronised, and when one is in doubt. */
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { chromiumMissing, makeTemporaryFolder, patienceMs, until } from "@stowage/process/testing";
import pg from "pg";
import { seriousFindings } from "./testing/audit.ts";
import { callListBuckets, listed, uploadPanel } from "./testing/page-parts.ts";
import { signedInWorld } from "./testing/signed-in-world.ts";
import { organisationId } from "./testing/world.ts";

const hostname = "slow.example";

describe("a source that is being synchronised", { skip: chromiumMissing }, () => {
  const world = signedInWorld();

  it("is named on the page until it is complete, and then its uploads appear", async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await makeTemporaryFolder();
    stack.defer(() => folder.remove());
    await writeFile(join(folder.path, "new.txt"), "new");
    const { page } = world;
    await listed(page, "photos").waitFor();

    // The run cannot write while others read what it would write to.
    const database = new pg.Client(world.databaseUrl);
    await database.connect();
    stack.defer(() => database.end());
    await database.query("begin; lock table uploads.uploads in share mode");
    const place = ["--bucket", hostname, "--organisation", organisationId, "--name", "scans"];
    const synced = world.run(["sources", "add", "dir", folder.path, ...place, "--sync"]);
    const isRunning = async () =>
      (await callListBuckets(page)).text.includes("SOURCE_STATE_RUNNING");
    await until("the source is running", isRunning, patienceMs);

    await page.goto(`${world.url}/?bucket=${hostname}`);
    const notice = page.getByText("scans is being indexed for the first time. 0 files so far.");
    await notice.waitFor();
    await page.getByText("This folder is empty.").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.getByRole("button", { name: /^Bucket/ }).click();
    await page.getByText("Syncing. Not yet complete").waitFor();

    await database.query("rollback");
    await synced;
    await notice.waitFor({ state: "detached" });
    await listed(page, "new.txt").waitFor();
    assert.deepEqual(world.complaints, []);
  });

  it("takes a file that is gone out of the list and the panel", async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await makeTemporaryFolder();
    stack.defer(() => folder.remove());
    for (const name of ["gone.txt", "one.txt", "two.txt"]) {
      await writeFile(join(folder.path, name), name);
    }
    const place = ["--bucket", "loses.example", "--organisation", organisationId];
    const source = ["dir", folder.path, ...place, "--name", "loses"];
    await world.run(["sources", "add", ...source, "--sync"]);
    const { page } = world;
    await page.clock.install();
    await page.goto(`${world.url}/?bucket=loses.example`);
    await listed(page, "gone.txt").click();
    await uploadPanel(page).getByRole("link", { name: "Download" }).waitFor();

    await rm(join(folder.path, "gone.txt"));
    await world.run(["sources", "sync", "loses"]);
    // The page asks for the totals of buckets again.
    await page.clock.fastForward("00:40");
    await uploadPanel(page).getByText("There is no such file.").waitFor();
    assert.equal(await uploadPanel(page).getByRole("link", { name: "Download" }).count(), 0);
  });

  it("says that it may be wrong, and has the commands for the operator apart", async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await makeTemporaryFolder();
    stack.defer(() => folder.remove());
    const disk = join(folder.path, "disk");
    await mkdir(disk);
    await writeFile(join(disk, "only.txt"), "only");
    const place = ["--bucket", "stops.example", "--organisation", organisationId];
    await world.run(["sources", "add", "dir", folder.path, ...place, "--name", "stops", "--sync"]);
    // As if a disk had been mounted there.
    await rm(disk, { recursive: true });
    const database = new pg.Client(world.databaseUrl);
    await database.connect();
    stack.defer(() => database.end());
    const setMounts = "update uploads.sources set known_mounts = array[$1] where name = 'stops'";
    await database.query(setMounts, [disk]);
    await assert.rejects(world.run(["sources", "sync", "stops"]));
    const { page } = world;
    await page.goto(`${world.url}/?bucket=stops.example`);
    await page.getByText(/^The index of stops may be wrong\. Complete as of .* Ask the /).waitFor();
    const message = page.getByText(/stowage sources sync stops --yes$/);
    assert.equal(await message.isVisible(), false);
    await page.getByText("Message for the operator").click();
    await message.waitFor();
    await page.getByRole("button", { name: /^Bucket/ }).click();
    const name = /^stops\.example 1 file, .* In doubt\. Complete as of /;
    await page.getByRole("link", { name }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
  });
});
