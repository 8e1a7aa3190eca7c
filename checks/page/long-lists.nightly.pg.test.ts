/** A list of 100,000 uploads, from its first row to its last and back. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { chromiumMissing, patienceMs, until } from "@stowage/process/testing";
import { folderTree, listed, treeItem, uploadGrid } from "./testing/page-parts.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";

const rowCount = 100_000;
const hostname = "long.example";

const nameOf = (index: number) => `file ${`${index}`.padStart(6, "0")}.bin`;

/** The level of so many folders is more than the page parses by itself. */
const folderCount = 4000;
const wideHostname = "wide.example";

function* wideLines(): Generator<string> {
  const bucket = { bucketId: randomUUID(), hostname: wideHostname, organisationId: "acme" };
  yield JSON.stringify({ bucket });
  for (let index = 0; index < folderCount; index++) {
    yield JSON.stringify({ folder: { path: `/folder ${`${index}`.padStart(5, "0")}` } });
  }
}

function* lines(): Generator<string> {
  const bucket = { bucketId: randomUUID(), hostname, organisationId: "acme" };
  yield JSON.stringify({ bucket });
  for (let index = 0; index < rowCount; index++) {
    yield JSON.stringify({ upload: { path: "/", filename: nameOf(index), sizeBytes: index } });
  }
}

/** The rows that are drawn, by their index, with the name or an empty text if it is not read. */
const drawnRows = `[...document.querySelectorAll("tr[data-index]")].map((row) => [
  Number(row.dataset.index), row.querySelector("[data-action=open]")?.innerText ?? ""])`;

describe("a list of 100,000 uploads", { skip: chromiumMissing }, () => {
  const world = sharedWorld();
  before(async () => {
    await world.run(["import", "ndjson", "-"], [...lines()].join("\n"));
    await world.page.goto(`${world.url}/?bucket=${hostname}`);
    await listed(world.page, nameOf(0)).waitFor();
  });

  /** Scrolls to a place, waits until its rows are read, and returns the index of the first. */
  async function lookAt(fraction: number): Promise<number> {
    await world.page.evaluate(`{
      const scroller = document.querySelector(".list-scroll");
      scroller.scrollTop = ${fraction} * (scroller.scrollHeight - scroller.clientHeight);
    }`);
    let rows: [number, string][] = [];
    const expected = fraction * rowCount;
    await until(
      `the rows at ${fraction} are there`,
      async () => {
        rows = (await world.page.evaluate(drawnRows)) as typeof rows;
        const isNear = rows.some(([index]) => Math.abs(index - expected) < 100);
        return isNear && rows.every(([, name]) => name !== "");
      },
      patienceMs,
    );
    for (const [index, name] of rows) assert.equal(name, nameOf(index));
    return rows[0]?.[0] ?? -1;
  }

  it("shows its last row at once, and its first again", async () => {
    await uploadGrid(world.page).focus();
    await world.page.keyboard.press("End");
    await listed(world.page, nameOf(rowCount - 1)).waitFor();
    await world.page.keyboard.press("Home");
    await listed(world.page, nameOf(0)).waitFor();
  });

  it("may consist of thousands of folders, which a worker reads", async () => {
    await world.run(["import", "ndjson", "-"], [...wideLines()].join("\n"));
    const worker = world.page.waitForEvent("worker");
    await world.page.goto(`${world.url}/?bucket=${wideHostname}`);
    await treeItem(world.page, "folder 00000").waitFor();
    await worker;
    await folderTree(world.page).focus();
    await world.page.keyboard.press("End");
    await treeItem(world.page, `folder 0${folderCount - 1}`).waitFor();
    await world.page.goto(`${world.url}/?bucket=${hostname}`);
    await listed(world.page, nameOf(0)).waitFor();
  });

  it("has each row at its place, all the way down and up again", async () => {
    const down = [];
    for (let step = 0; step <= 40; step++) down.push(await lookAt(step / 40));
    assert.deepEqual(
      down,
      down.toSorted((one, other) => one - other),
    );
    for (let step = 40; step >= 0; step -= 8) await lookAt(step / 40);
  });
});
