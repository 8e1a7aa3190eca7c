import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  select,
  withConnection,
} from "../testing/import.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createUploadsDatabase();
});
afterEach(() => database.drop());

const bucketIds = Array.from(
  { length: 6 },
  (_, index) => `${index}0000000-0000-4000-8000-000000000000`,
);

function uploadLines(from: number, count: number, sizeBytes: number) {
  return Array.from({ length: count }, (_, index) => ({
    upload: {
      uploadId: `${from + index}`,
      path: `/${(from + index) % 7}/${index % 3}`,
      filename: `${from + index}`,
      sizeBytes,
    },
  }));
}

for (const areKnown of [false, true]) {
  describe(`imports at the same time into buckets that are ${areKnown ? "known" : "new"}`, () => {
    beforeEach(async () => {
      const lines = bucketIds.map((bucketId) => bucketLine(bucketId));
      if (areKnown) await importLines(database.databaseUrl, lines);
    });

    it("all import everything", async () => {
      const [bucketId] = bucketIds as [string];
      await Promise.all(
        [1, 2, 3, 4].map((size) =>
          importLines(database.databaseUrl, [
            bucketLine(bucketId),
            ...uploadLines(size * 50, 100, size),
          ]),
        ),
      );
      const [row] = await select(
        database.databaseUrl,
        `select count(*)::int as count, min(upload_id::int), max(upload_id::int)
         from uploads.uploads`,
      );
      assert.deepEqual(row, { count: 250, min: 50, max: 299 });
    });

    it("leave the rows of one of them, not a mixture, if they replace the same rows", async () => {
      const [bucketId] = bucketIds as [string];
      await Promise.all(
        [1, 2, 3, 4].map((size) =>
          importLines(database.databaseUrl, [bucketLine(bucketId), ...uploadLines(0, 200, size)]),
        ),
      );
      const sizes = await select(
        database.databaseUrl,
        "select distinct size_bytes from uploads.uploads",
      );
      assert.equal(sizes.length, 1);
    });

    it("do not deadlock, in any order of their buckets", async () => {
      const orders = [
        bucketIds,
        bucketIds.toReversed(),
        [...bucketIds.slice(3), ...bucketIds.slice(0, 3)],
      ];
      for (const primary of [areKnown, false, true]) {
        await Promise.all(
          orders.map((order, turn) =>
            importLines(
              database.databaseUrl,
              order.flatMap((bucketId, index) => [
                bucketLine(bucketId, { primary, organisationId: `org ${index % 2}` }),
                ...uploadLines(turn, 5, turn),
                { folder: { path: "/0", folderId: bucketIds[turn] } },
              ]),
            ),
          ),
        );
      }
      const [row] = await select(
        database.databaseUrl,
        `select count(*)::int as buckets, (select count(*)::int from uploads.uploads) as uploads,
         (select count(*)::int from uploads.folders
          where tree_key = uploads.tree_key('/0')) as folders
       from uploads.buckets`,
      );
      assert.deepEqual(row, { buckets: 6, uploads: 6 * 7, folders: 6 });
    });
  });
}

describe("an import of one tenant", () => {
  const [own, other] = bucketIds as [string, string];

  /** Imports that make, or change, a bucket of another tenant while this one has merged its own. */
  async function importDuring(organisationId: string, mergeOther: () => Promise<unknown>) {
    const line = bucketLine(own, { organisationId, primary: true });
    await importLines(database.databaseUrl, [line, ...uploadLines(0, 10, 1)], {
      merge: { beforeCommit: () => mergeOther().then(() => undefined) },
    });
  }

  const importOther = (members: object) =>
    importLines(database.databaseUrl, [bucketLine(other, members), ...uploadLines(0, 10, 1)]);

  it("does not wait for that of another, though both make and change buckets", async () => {
    await importDuring("one", async () => {
      await importOther({ organisationId: "two", primary: true });
      await importOther({ organisationId: "two", hostname: "renamed.example.com" });
    });
    const rows = await select(
      database.databaseUrl,
      "select hostname, is_primary from uploads.buckets order by bucket_id",
    );
    assert.deepEqual(rows, [
      { hostname: `${own}.example.com`, is_primary: true },
      { hostname: "renamed.example.com", is_primary: true },
    ]);
  });

  it("waits for one that makes the same host name, and is then refused", async () => {
    let refused: Promise<unknown> | undefined;
    await importDuring("one", async () => {
      refused = importOther({ organisationId: "two", hostname: `${own}.example.com` });
      refused.catch(() => undefined);
    });
    await assert.rejects(refused ?? Promise.resolve(), { name: "HostnameTakenError" });
  });
});

const isWaiting = `select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

it("imports of many new buckets use few locks, and wait for each other", async () => {
  const lines = Array.from({ length: 1000 }, (_, index) =>
    bucketLine(`10000000-0000-4000-8000-${String(index).padStart(12, "0")}`),
  );
  const locks = `select from pg_locks join pg_database d on d.oid = database
    where locktype = 'advisory' and datname = current_database()`;
  let second: Promise<unknown> = Promise.resolve();
  await importLines(database.databaseUrl, lines, {
    merge: {
      beforeCommit: async () => {
        assert.equal((await select(database.databaseUrl, locks)).length, 1);
        second = importLines(database.databaseUrl, lines.slice(0, 2));
        second.catch(() => undefined);
        while ((await select(database.databaseUrl, isWaiting)).length === 0);
      },
    },
  });
  await second;
});

it("an import changes its bucket back if another one changes it meanwhile", async () => {
  const [bucketId] = bucketIds as [string];
  await importLines(database.databaseUrl, [bucketLine(bucketId)]);
  let second: Promise<unknown> = Promise.resolve();
  await importLines(database.databaseUrl, [bucketLine(bucketId, { hostname: "new" })], {
    merge: {
      beforeCommit: async () => {
        second = importLines(database.databaseUrl, [bucketLine(bucketId), ...uploadLines(0, 1, 1)]);
        second.catch(() => undefined);
        while ((await select(database.databaseUrl, isWaiting)).length === 0);
      },
    },
  });
  await second;
  const hostnames = await select(database.databaseUrl, "select hostname from uploads.buckets");
  assert.deepEqual(hostnames, [{ hostname: `${bucketId}.example.com` }]);
});

describe("an import into a bucket that is removed meanwhile", () => {
  const [bucketId] = bucketIds as [string];

  for (const lines of [uploadLines(0, 1, 1), [bucketLine(bucketId), ...uploadLines(0, 1, 1)]]) {
    it(`is refused with ${lines.length} lines, and says so`, async () => {
      await importLines(database.databaseUrl, [bucketLine(bucketId)]);
      let importing: Promise<unknown> = Promise.resolve();
      await withConnection(database.databaseUrl, async (client) => {
        await client.query("begin; select from uploads.buckets for update");
        importing = importLines(database.databaseUrl, lines, { bucketId });
        importing.catch(() => undefined);
        while ((await select(database.databaseUrl, isWaiting)).length === 0);
        for (const table of ["folders", "bucket_sizes", "buckets"]) {
          await client.query(`delete from uploads.${table}`);
        }
        await client.query("commit");
      });
      const message = /^Cannot import: its bucket was removed meanwhile; import again$/;
      await assert.rejects(importing, { name: "BucketChangedError", message });
    });
  }
});
