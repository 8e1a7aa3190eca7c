import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { it } from "node:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { arbitraryMessage } from "@stowage/api/json/testing/arbitrary-message";
import { writeJson } from "@stowage/api/json/write-json";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { IntegrationSchema } from "@stowage/api/svc/api/v1/integration_pb";
import fc from "fast-check";
import { folderValues, integrationValues } from "../import/records/column-values.ts";
import type { FolderRecord } from "../import/records/record.ts";
import { createUploadsDatabase, withConnection } from "../import/testing/import.ts";
import { parentPath } from "../model/path.ts";
import { treeKey } from "../model/tree-key.ts";
import { queryColumn } from "../postgres/column-query.ts";
import { copiedTable } from "../postgres/copy-in.ts";
import { bindParameters } from "../postgres/named-parameters.ts";
import { RawClient } from "../postgres/raw-client.ts";
import { folderColumns, writeFolder } from "./folder-json.ts";

const bucketId = "6f3c7a52-0c43-4f37-8d0e-8a7a3d2f4b11";

it("a folder is written as its message says, in the order of the contract", async (test) => {
  const database = await createUploadsDatabase();
  test.after(() => database.drop());
  const integration = { ...fc.sample(arbitraryMessage(IntegrationSchema), 1)[0] };
  const integrationId = randomUUID();
  const folders = fc.sample(arbitraryMessage(FolderSchema), 1000).map((folder, line) => {
    const path = line === 0 ? "/" : `/a${folder.path.replaceAll(/[/\0]/g, "\u0001\u0002")}${line}`;
    const uuid = (id: string) => id && [randomUUID(), integrationId][line % 2];
    return Object.assign(folder, {
      folderId: randomUUID(),
      path: `${path}${"/b".repeat(line % 3)}`.replace("//", "/"),
      parentPath: "",
      scopingIntegrationId: uuid(folder.scopingIntegrationId),
      virtualFileIntegrationId: uuid(folder.virtualFileIntegrationId),
      scopingIntegration: undefined,
      virtualFileIntegration: undefined,
    });
  });
  await withConnection(database.databaseUrl, async (client) => {
    await client.query("insert into uploads.buckets values ($1, 1, 'a.example.com', 'org')", [
      bucketId,
    ]);
    const inBucket = { bucket_number: () => 1 };
    const integrations = copiedTable(client, "uploads.integrations", {
      ...integrationValues,
      ...inBucket,
    });
    const named = Object.assign(integration, { integrationId });
    integrations.add({ kind: "integration", bucketId, line: 1, integration: named as never });
    await integrations.send(true);
    const table = copiedTable<FolderRecord>(client, "uploads.folders", {
      ...folderValues,
      ...inBucket,
      tree_key: ({ folder }) => treeKey(folder.path),
      tree_position: ({ line }) => line,
    });
    for (const [line, folder] of folders.entries()) {
      table.add({ kind: "folder", bucketId, line, folder });
    }
    await table.send(true);
  });

  const read = await readFolders(database.databaseUrl);
  assert.equal(read.size, folders.length);
  const written = writeJson(IntegrationSchema, { ...integration, integrationId } as never);
  for (const folder of folders) {
    const found = read.get(folder.folderId) as JsonObject;
    folder.parentPath = parentPath(folder.path) ?? "";
    const expected = writeJson(FolderSchema, folder) as JsonObject;
    const { scopingIntegration, virtualFileIntegration, ...members } = found;
    assert.deepEqual(members, expected);
    assert.deepEqual(Object.keys(members), Object.keys(expected));
    for (const [id, document] of [
      [folder.scopingIntegrationId, scopingIntegration],
      [folder.virtualFileIntegrationId, virtualFileIntegration],
    ]) {
      assert.deepEqual(document, id === integrationId ? written : undefined);
    }
  }
});

async function readFolders(databaseUrl: string): Promise<ReadonlyMap<unknown, JsonObject>> {
  const client = new RawClient({ connectionString: databaseUrl });
  await client.connect();
  try {
    const statement = bindParameters(
      `select ${folderColumns({ withIntegrations: true })} from uploads.folders f
       where f.bucket_number = :bucketNumber`,
      { bucketNumber: 1 },
    );
    const column = await queryColumn(client, statement, {
      addRow: (all, row) => all.addWritten((output) => writeFolder(row, output)),
    });
    const folders: JsonObject[] = JSON.parse(`[${column.joined(0, column.length)}]`);
    return new Map(folders.map((folder) => [folder.folderId, folder]));
  } finally {
    await client.end();
  }
}
