import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { AccessToken } from "@stowage/access-token";
import { createLogger, openPool } from "@stowage/process";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import type { CallDetails } from "../calls/call-details.ts";
import { bucketLine, createUploadsDatabase, importLines } from "../import/testing/import.ts";
import { ApiError } from "../model/api-error.ts";
import { createDatabase, type Database } from "../postgres/database.ts";
import { bindParameters } from "../postgres/named-parameters.ts";
import { RawClient } from "../postgres/raw-client.ts";
import { accessVersion, versionParameters } from "./bucket-lookup.ts";
import {
  type BucketReader,
  createBucketReader,
  type ReadResult,
  type VersionedBucket,
} from "./bucket-reader.ts";
import type { OpenBucket } from "./open-bucket.ts";

const bucketId = "00000000-0000-4000-8000-000000000001";
const otherBucketId = "00000000-0000-4000-8000-000000000002";
const caller = { organisationId: "org", clientId: "client" } as AccessToken;
const record: CallDetails = { bucketId: undefined, rows: undefined, plans: [] };
const call = {
  caller,
  signal: new AbortController().signal,
  record,
  onClosed() {},
  resizeAnswer() {},
};
const name = { hostname: "b.example.com" };

describe("createBucketReader()", () => {
  let testDatabase: TestDatabase;
  let databases: { short: Database; long: Database };
  let shortPool: pg.Pool;
  let close: () => Promise<unknown>;
  let snapshotCount = 0;
  let longCount = 0;
  before(async () => {
    testDatabase = await createUploadsDatabase();
    const { databaseUrl } = testDatabase;
    const logger = createLogger({ name: "test", level: "silent" });
    const options = { databaseUrl, applicationName: "test", logger, Client: RawClient };
    shortPool = openPool({ ...options, connectionsMax: 20 });
    const longPool = openPool({ ...options, connectionsMax: 1 });
    close = () => Promise.all([shortPool.end(), longPool.end()]);
    const counted = (pool: pg.Pool): Database => {
      const database = createDatabase(pool, pool);
      return {
        read(options, work) {
          if (options.snapshot) snapshotCount += 1;
          if (pool === longPool) longCount += 1;
          return database.read(options, work);
        },
      };
    };
    databases = { short: counted(shortPool), long: counted(longPool) };
  });
  after(async () => {
    await close();
    await testDatabase.drop();
  });

  let readBucket: BucketReader;
  const newReader = () =>
    createBucketReader({
      short: () => databases.short,
      long: () => databases.long,
      longTimeoutMs: 5000,
    });
  beforeEach(async () => {
    await load({ folder: { path: "/a" } });
    readBucket = newReader();
    await open();
    snapshotCount = 0;
  });

  async function load(...lines: unknown[]): Promise<void> {
    const bucket = bucketLine(bucketId, { hostname: name.hostname });
    const { errors } = await importLines(testDatabase.databaseUrl, [bucket, ...lines]);
    assert.equal(errors, "");
  }

  /** What the caller sees, found out by a statement like any other. */
  async function open(asked = call): Promise<OpenBucket> {
    return readBucket(asked, name, readVersion);
  }

  const readVersion =
    (bucket: VersionedBucket): ReadResult<OpenBucket> =>
    async (readColumn) => {
      const column = await readColumn(
        bindParameters(`select ${accessVersion}`, {
          bucketNumber: bucket.bucketNumber,
          ...versionParameters(bucket.lookup),
        }),
      );
      return { accessVersion: column.at(0)?.toString() ?? null, result: bucket };
    };

  /** The same by two statements, the second of them a long one. */
  async function openLong(beforeLong = async () => {}): Promise<OpenBucket> {
    return readBucket(call, name, (bucket) => async (readColumn, duration) => {
      if (duration === "long") await beforeLong();
      const { accessVersion, result } = await readVersion(bucket)(readColumn, duration);
      return { accessVersion, result: duration === "long" ? result : undefined };
    });
  }

  const rangeCount = async () => (await open()).visibility.ranges.length;

  it("needs one statement for what it has seen before", async () => {
    assert.equal((await open()).bucketId, bucketId);
    assert.equal(snapshotCount, 0);
  });

  it("does not read again what fails by an outage of the database", async () => {
    const outage = new ApiError("DATABASE_UNAVAILABLE", "no answer");
    const reading = readBucket(call, name, () => () => Promise.reject(outage));
    await assert.rejects(reading, (error) => error === outage);
    assert.equal(snapshotCount, 0);
  });

  it("sees a folder hidden by the import that has just ended, and shown by the next", async () => {
    assert.equal(await rangeCount(), 1);
    await load({ folder: { path: "/a", integrationHidden: true } });
    assert.equal(await rangeCount(), 2);
    await load({ folder: { path: "/a" } });
    assert.equal(await rangeCount(), 1);
    assert.equal(snapshotCount, 2);
  });

  it("knows an integration as the client's once the import has ended that says so", async () => {
    const integration = { integrationId: otherBucketId, name: "Scanner" };
    const clientId = async () => (await open()).visibility.clientId;
    assert.equal(await clientId(), undefined);
    await load({ integration: { ...integration, oauthClientId: caller.clientId } });
    assert.equal(await clientId(), caller.clientId);
    await load({ integration: { ...integration, oauthClientId: "another" } });
    assert.equal(await clientId(), undefined);
    assert.equal(snapshotCount, 2);
  });

  it("knows that the bucket hides uploads once the import has ended that hides one", async () => {
    const upload = { path: "/a", filename: "f", sizeBytes: 1 };
    const hidesUploads = async () => (await open()).visibility.hidesUploads;
    await load({ upload });
    assert.equal(await hidesUploads(), false);
    await load({ upload: { ...upload, integrationHidden: true } });
    assert.equal(await hidesUploads(), true);
    await load({ upload: { ...upload, filename: "g", integrationHidden: true } });
    assert.equal(await hidesUploads(), true);
    assert.equal(snapshotCount, 1);
    await load({ upload }, { upload: { ...upload, filename: "g" } });
    assert.equal(await hidesUploads(), false);
    assert.equal(snapshotCount, 2);
  });

  it("never shows a folder once the import that hides it has ended, at any moment", async () => {
    for (let round = 0; round < 10; round++) {
      let isHidden = false;
      const hiding = load({ folder: { path: "/a", integrationHidden: true } }).then(() => {
        isHidden = true;
      });
      const asking = Array.from({ length: 8 }, async () => {
        let wasHidden: boolean;
        do {
          wasHidden = isHidden;
          const count = await rangeCount();
          if (wasHidden) assert.equal(count, 2);
        } while (!wasHidden);
      });
      await Promise.all([hiding, ...asking]);
      await load({ folder: { path: "/a" } });
    }
  });

  it("reads long statements on another connection, by the same access", async () => {
    longCount = 0;
    assert.equal((await openLong()).bucketId, bucketId);
    readBucket = newReader();
    assert.equal((await openLong()).bucketId, bucketId);
    assert.equal(longCount, 2);
  });

  it("holds no connection for short statements while it waits for one for long ones", async () => {
    while (shortPool.idleCount < shortPool.totalCount) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    let idleCount = -1;
    await openLong(async () => {
      idleCount = shortPool.idleCount;
    });
    assert.equal(idleCount, shortPool.totalCount);
  });

  it("reads all again if access changes before a long statement", async () => {
    let isHidden = false;
    const opened = await openLong(async () => {
      if (!isHidden) await load({ folder: { path: "/a", integrationHidden: true } });
      isHidden = true;
    });
    assert.equal(opened.visibility.ranges.length, 2);
    assert.equal(snapshotCount, 1);
  });

  it("follows a host name to the bucket that has it by now", async () => {
    await importLines(testDatabase.databaseUrl, [
      bucketLine(bucketId, { hostname: "old.example.com" }),
      bucketLine(otherBucketId, { hostname: name.hostname }),
    ]);
    assert.equal((await open()).bucketId, otherBucketId);
    await importLines(testDatabase.databaseUrl, [
      bucketLine(otherBucketId, { hostname: "other.example.com" }),
      bucketLine(bucketId, { hostname: name.hostname }),
    ]);
    assert.equal((await open()).bucketId, bucketId);
  });

  it("follows the primary bucket to the one that is it by now", async () => {
    const makePrimary = (id: string, hostname: string) =>
      importLines(testDatabase.databaseUrl, [bucketLine(id, { hostname, primary: true })]);
    const primaryId = async () => (await readBucket(call, "primary", readVersion)).bucketId;
    await makePrimary(bucketId, name.hostname);
    assert.equal(await primaryId(), bucketId);
    await makePrimary(otherBucketId, "other.example.com");
    assert.equal(await primaryId(), otherBucketId);
  });

  it("no longer finds a bucket that has gone to another organisation", async () => {
    const hostname = name.hostname;
    await importLines(testDatabase.databaseUrl, [
      bucketLine(bucketId, { hostname, organisationId: "theirs" }),
    ]);
    const theirs = { ...caller, organisationId: "theirs" };
    await assert.rejects(open(), { reason: "BUCKET_NOT_FOUND" });
    assert.equal((await open({ ...call, caller: theirs })).bucketId, bucketId);
  });
});
