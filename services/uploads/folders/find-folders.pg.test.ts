import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { foldName } from "@stowage/api/names/fold-name";
import { FindFoldersRequestSchema } from "@stowage/api/stowage/v1/folders_service_pb";
import { GetUploadRequestSchema } from "@stowage/api/stowage/v1/uploads_service_pb";
import { createLogger, openPool } from "@stowage/process";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { bucketLine, createUploadsDatabase, importLines } from "../import/testing/import.ts";
import { getUploadHandler } from "../lists/get-upload.ts";
import { emptyRecord } from "../lists/testing/call-list.ts";
import { createDatabase } from "../postgres/database.ts";
import { RawClient } from "../postgres/raw-client.ts";
import { findFoldersHandler } from "./find-folders.ts";

const bucketId = "0b5c1d9e-3a58-4a5e-9c0e-0000000000dd";
const paths = [
  "/tax/2024",
  "/tax/2024/summer",
  "/Summer",
  "/Summer/tax",
  "/été/写真 2024",
  "/2024/x_%",
  "/archive/summer tax",
];
/** More folders with one word than are read at once: the other words find them. */
const manyBucketId = "0b5c1d9e-3a58-4a5e-9c0e-0000000000de";
const manyFolders = Array.from({ length: 2010 }, (_, at) => `/many/common ${at}`);
const rareFolders = ["/many/common 5/rare", "/many/common 5/rare/sub", "/many/common 700 rare"];

const integrationId = "5f0c7a52-1c7e-4e0b-9a53-0d6f5b7f1c02";

const caller = (locations?: readonly string[]) =>
  ({
    organisationId: "org",
    clientId: "c",
    authorizationDetails:
      locations === undefined
        ? []
        : [{ type: "bucket", identifier: bucketId, actions: ["read"], locations }],
  }) as unknown as AccessToken;

describe("folders and single uploads", () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let find: ReturnType<typeof findFoldersHandler>;
  let get: ReturnType<typeof getUploadHandler>;
  before(async () => {
    database = await createUploadsDatabase();
    const { databaseUrl } = database;
    const uploads = paths.flatMap((path, at) =>
      ["a.txt", "b.txt"].map((filename, number) => ({
        upload: { ...{ path, filename }, uploadId: `${at}-${number}`, sizeBytes: 10 * (at + 1) },
      })),
    );
    const hidden = {
      path: "/Summer/tax",
      filename: "hidden.txt",
      uploadId: "hidden",
      sizeBytes: 1000,
    };
    const { errors } = await importLines(databaseUrl, [
      bucketLine(bucketId),
      { integration: { integrationId, oauthClientId: "other" } },
      ...uploads,
      { upload: { ...hidden, integrationId, integrationHidden: true } },
      { upload: { path: "/tax/2024", filename: "a.txt", uploadId: "0-0 again", sizeBytes: 10 } },
    ]);
    assert.equal(errors, "");
    const many = [...manyFolders, ...rareFolders, "/rare"].map((path, at) => ({
      upload: { path, filename: "a.txt", uploadId: `many-${at}`, sizeBytes: 1 },
    }));
    const imported = await importLines(databaseUrl, [bucketLine(manyBucketId), ...many]);
    assert.equal(imported.errors, "");
    const logger = createLogger({ name: "test", level: "silent" });
    const options = { databaseUrl, applicationName: "folders-test", logger, Client: RawClient };
    pool = openPool({ ...options, connectionsMax: 2 });
    const databaseFor = () => createDatabase(pool, pool);
    find = findFoldersHandler({ databaseFor, cursorKey: randomBytes(32) });
    get = getUploadHandler({ databaseFor, baseUrl: "http://127.0.0.1" });
  });
  after(async () => {
    await pool?.end();
    await database?.drop();
  });

  const callOf = (locations?: readonly string[]) => ({
    caller: caller(locations),
    signal: new AbortController().signal,
    onClosed() {},
    resizeAnswer() {},
    record: emptyRecord(),
  });
  async function findFolders(request: JsonObject, locations?: readonly string[]) {
    const answer = await find(
      fromJson(FindFoldersRequestSchema, { bucketRef: { bucketId }, ...request }),
      callOf(locations),
    );
    assert.ok("json" in answer);
    return JSON.parse(answer.json.toString()) as {
      readonly folders: readonly {
        readonly folder: { readonly path: string };
        readonly rollup: object;
      }[];
      readonly nextCursor: string;
    };
  }
  async function getUpload(request: JsonObject, locations?: readonly string[]) {
    const answer = await get(
      fromJson(GetUploadRequestSchema, { bucketRef: { bucketId }, ...request }),
      callOf(locations),
    );
    assert.ok("json" in answer);
    return JSON.parse(answer.json.toString()) as {
      readonly upload: { readonly uploadId: string };
      readonly hasMore: boolean;
    };
  }

  it("are found by words of their paths, one of them in the name", async () => {
    const all = new Set(
      paths.flatMap((path) =>
        path
          .split("/")
          .slice(1)
          .map((_, at, names) => `/${names.slice(0, at + 1).join("/")}`),
      ),
    );
    const queries = [
      "summer",
      "2024",
      "tax 2024",
      "2024 tax",
      "Été",
      "写",
      "x_%",
      "tax/2024",
      "/summer",
      "tax/",
      "e -tax",
      "t",
      "zq",
      '"r t"',
    ];
    for (const query of queries) {
      const words = [...query.matchAll(/(-?)(?:"([^"]*)"|(\S+))/g)].map(
        ([, minus, quoted, plain]) => ({
          isExcluded: minus === "-",
          text: foldName(quoted ?? plain ?? ""),
        }),
      );
      const isFound = (path: string) => {
        const folded = `${foldName(path)}/`;
        const parent = folded.slice(0, folded.lastIndexOf("/", folded.length - 2) + 1);
        const name = folded.slice(parent.length, -1);
        const endsInName = (text: string) =>
          text.includes("/")
            ? folded.lastIndexOf(text) + text.length > parent.length
            : name.includes(text);
        return (
          words.every(({ text, isExcluded }) => folded.includes(text) !== isExcluded) &&
          words.some(({ text, isExcluded }) => !isExcluded && endsInName(text))
        );
      };
      const { folders } = await findFolders({ query });
      const found = folders.map(({ folder }) => folder.path).toSorted();
      assert.deepEqual(found, [...all].filter(isFound).toSorted(), query);
    }
  });

  it("come in pages in the order of the tree, with the totals that the caller sees", async () => {
    const first = await findFolders({ query: "summer", pageSize: 2 });
    const rest = await findFolders({ query: "summer", pageSize: 2, cursor: first.nextCursor });
    const found = [...first.folders, ...rest.folders].map(({ folder }) => folder.path);
    assert.deepEqual(found, ["/Summer", "/archive/summer tax", "/tax/2024/summer"]);
    assert.equal(rest.nextCursor, "");
    assert.deepEqual(first.folders[0]?.rollup, {
      ...{ uploadCount: 2, sizeBytes: 60 },
      ...{ subtreeUploadCount: 4, subtreeSizeBytes: 140 },
    });
  });

  it("are found by the rarer word if the other is in too many", async () => {
    const bucketRef = { bucketId: manyBucketId };
    const query = { bucketRef, query: "common rare", pageSize: 1 };
    const first = await findFolders(query);
    const rest = await findFolders({ ...query, pageSize: 9, cursor: first.nextCursor });
    const found = [...first.folders, ...rest.folders].map(({ folder }) => folder.path);
    assert.deepEqual(found, [rareFolders[0], rareFolders[2]]);
  });

  it("are found only where the caller may see them, and where in: says", async () => {
    const { folders } = await findFolders({ query: "summer" }, ["/tax"]);
    assert.deepEqual(
      folders.map(({ folder }) => folder.path),
      ["/tax/2024/summer"],
    );
    const inArchive = await findFolders({ query: "summer in:/archive" });
    assert.deepEqual(
      inArchive.folders.map(({ folder }) => folder.path),
      ["/archive/summer tax"],
    );
  });

  it("need a word, and take no other filter", async () => {
    await assert.rejects(findFolders({ query: "-tax" }), { message: /need at least one/ });
    await assert.rejects(findFolders({ query: "tax type:image" }), {
      message: /has the filter type/,
    });
  });

  it("an upload is found by its ID, and by path and filename", async () => {
    assert.equal((await getUpload({ uploadId: "2-1" })).upload.uploadId, "2-1");
    const same = await getUpload({ path: "tax/2024/", filename: "a.txt" });
    assert.deepEqual([same.upload.uploadId, same.hasMore], ["0-0", true]);
    const alone = await getUpload({ path: "/Summer", filename: "b.txt" });
    assert.deepEqual([alone.upload.uploadId, alone.hasMore], ["2-1", false]);
  });

  it("an upload that the caller may not see is not found", async () => {
    const notFound = { reason: "UPLOAD_NOT_FOUND" };
    await assert.rejects(getUpload({ uploadId: "hidden" }), notFound);
    await assert.rejects(getUpload({ uploadId: "2-1" }, ["/tax"]), notFound);
    await assert.rejects(getUpload({ path: "/nowhere", filename: "a.txt" }), notFound);
    await assert.rejects(getUpload({ uploadId: "2-1", filename: "a" }), {
      reason: "FIELD_INVALID",
    });
    await assert.rejects(getUpload({}), { reason: "FIELD_INVALID" });
  });
});
