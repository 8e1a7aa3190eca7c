import assert from "node:assert/strict";
import { it } from "node:test";
import { createUploadsDatabase, withConnection } from "../../import/testing/import.ts";
import { FakeStore } from "../../sources/testing/fake-store.ts";
import { importObjects } from "./import-objects.ts";

function options(show: (text: string) => void): Parameters<typeof importObjects>[2] {
  return {
    from: "the store",
    bucket: "photos.example.com",
    organisation: "acme",
    mount: { prefix: "", mountPath: "/" },
    tags: false,
    displayName: (key) => key,
    remarks: () => [],
    progress: {
      begin: ({ name, thing, total }) => show(`${name} ${total} ${thing}s`),
      update: (count) => show(`${count}`),
      say: show,
      stop: () => undefined,
    },
    signal: new AbortController().signal,
  };
}

it("a one-off import succeeds if only parts of objects are left out", async () => {
  const database = await createUploadsDatabase();
  try {
    const store = new FakeStore();
    store.put("a", 1);
    const lister = store.lister({ pageSize: 1 });
    const leftOut = [{ key: "a", reason: "a tag is too long", isUnreadable: false, isPart: true }];
    await withConnection(database.databaseUrl, (client) =>
      importObjects(
        client,
        {
          ...lister,
          async *list(range, signal) {
            for await (const page of lister.list(range, signal)) yield { ...page, leftOut };
          },
        },
        options(() => undefined),
      ),
    );
  } finally {
    await database.drop();
  }
});

it("a one-off import shows how many new uploads it has written", async () => {
  const database = await createUploadsDatabase();
  try {
    const store = new FakeStore();
    for (let number = 0; number < 30; number++) store.put(`folder/${number}`, 1);
    const shown: string[] = [];
    await withConnection(database.databaseUrl, (client) =>
      importObjects(
        client,
        store.lister({ pageSize: 20 }),
        options((text) => shown.push(text)),
      ),
    );
    const listed = ["20", "30"];
    const written = ["writing 30 new uploads", "30", "updating searches, folders and totals"];
    assert.deepEqual(shown, [...listed, "writing to the index", ...written]);
  } finally {
    await database.drop();
  }
});
