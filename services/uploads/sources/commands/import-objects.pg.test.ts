import assert from "node:assert/strict";
import { it } from "node:test";
import { createUploadsDatabase, withConnection } from "../../import/testing/import.ts";
import { FakeStore } from "../testing/fake-store.ts";
import { importObjects } from "./import-objects.ts";

it("a one-off import shows how many new uploads it has written", async () => {
  const database = await createUploadsDatabase();
  try {
    const store = new FakeStore();
    for (let number = 0; number < 30; number++) store.put(`folder/${number}`, 1);
    const shown: string[] = [];
    await withConnection(database.databaseUrl, (client) =>
      importObjects(client, store.lister({ pageSize: 20 }), {
        from: "the store",
        bucket: "photos.example.com",
        organisation: "acme",
        mount: { prefix: "", mountPath: "/" },
        tags: false,
        displayName: (key) => key,
        remarks: () => [],
        progress: {
          begin: ({ name, thing, total }) => shown.push(`${name} ${total} ${thing}s`),
          update: (count) => shown.push(`${count}`),
          say: (text) => shown.push(text),
          stop: () => undefined,
        },
        signal: new AbortController().signal,
      }),
    );
    const listed = ["20", "30"];
    const written = ["writing 30 new uploads", "30"];
    assert.deepEqual(shown, [...listed, "writing to the index", ...written]);
  } finally {
    await database.drop();
  }
});
