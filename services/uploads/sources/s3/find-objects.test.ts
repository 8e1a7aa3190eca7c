/** What a store says about single keys, and listings that contradict themselves. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Key, keyOfBytes } from "../keys.ts";
import { nowhere, useFaultyProxy } from "../testing/no-store.ts";
import { bucketLister } from "./list-bucket.ts";
import { openStore } from "./store.ts";

const proxy = useFaultyProxy();

const { signal } = new AbortController();

/** A lister of a store that answers requests by path so. */
function listerOf(answer: (path: string) => { status: number; content: string }) {
  proxy.damage((_number, path) => answer(path));
  const location = { bucket: "content", endpoint: proxy.endpoint, pathStyle: true };
  const store = openStore(location, { attemptsMax: 1 });
  return bucketLister({ store, prefix: "", pageKeys: 10 });
}

function page(keys: readonly string[], options: { next?: string; keyCount?: number } = {}): string {
  const contents = keys.map(
    (key) => `<Contents><Key>${key}</Key><Size>1</Size>
      <LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
  );
  const { next, keyCount = keys.length } = options;
  return `<ListBucketResult>${contents.join("")}<KeyCount>${keyCount}</KeyCount>
    <IsTruncated>${next !== undefined}</IsTruncated>
    ${next === undefined ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`}
    </ListBucketResult>`;
}

describe("asking for single objects", () => {
  const isList = (path: string) => new URL(path, nowhere).searchParams.has("list-type");
  const keyOf = (path: string) => new URL(path, nowhere).pathname.slice("/content/".length);

  it("tells what exists, what does not, and what has no answer", async () => {
    const statuses: Readonly<Record<string, number>> = { there: 200, gone: 404, broken: 500 };
    const lister = listerOf((path) => ({ status: statuses[keyOf(path)] ?? 0, content: "" }));
    const keys = ["gone", "there", "broken"];
    assert.deepEqual(await lister.find(keys, signal), ["absent", "present", "unknown"]);
  });

  it("lists a key where the credentials may not ask for the object", async () => {
    const lister = listerOf((path) => {
      if (!isList(path)) return { status: 403, content: "" };
      const prefix = new URL(path, nowhere).searchParams.get("prefix");
      return { status: 200, content: page(prefix === "there" ? ["there"] : [`${prefix}/below`]) };
    });
    assert.deepEqual(await lister.find(["gone", "there"], signal), ["unlisted", "present"]);
  });

  it("reads the objects that are there as a listing has them", async () => {
    const lister = listerOf((path) => {
      const prefix = new URL(path, nowhere).searchParams.get("prefix");
      return { status: 200, content: page(prefix === "there" ? ["there"] : [`${prefix}/below`]) };
    });
    const { objects } = await lister.read(["gone", "there"], signal);
    const times = objects.map(({ key, updatedAtMicros }) => [key, updatedAtMicros]);
    assert.deepEqual(times, [["there", 1_767_225_600_000_000n]]);
  });

  it("lists a folder in which it reads many objects", async () => {
    const number = (index: number) => String(index).padStart(3, "0");
    const stored = Array.from({ length: 120 }, (_, index) => `in/${number(index)}`);
    let requests = 0;
    const lister = listerOf((path) => {
      requests += 1;
      const { searchParams } = new URL(path, nowhere);
      const [prefix = "", after = ""] = ["prefix", "start-after"].map((name) =>
        searchParams.get(name),
      );
      const listed = stored.filter((key) => key.startsWith(String(prefix)) && key > String(after));
      return { status: 200, content: page(listed.slice(0, Number(searchParams.get("max-keys")))) };
    });
    const wanted = [...stored.slice(20), "in/absent", "other"];
    const { objects } = await lister.read(wanted.toReversed(), signal);
    assert.deepEqual(objects.map(({ key }) => key).toSorted(), stored.slice(20));
    // One page; the key after it, and the one in another folder.
    assert.equal(requests, 3);
  });

  it("takes an empty object whose key ends with a slash for a folder", async () => {
    const lister = listerOf(() => ({ status: 200, content: "" }));
    assert.deepEqual(await lister.find(["folder/", "empty"], signal), ["absent", "present"]);
  });

  it("cannot ask for a key that is not UTF-8", async () => {
    const lister = listerOf(() => ({ status: 200, content: "" }));
    const key = keyOfBytes(Buffer.from("62ff", "hex"));
    assert.deepEqual(await lister.find([key], signal), ["unlisted"]);
  });

  it("does not ask on for thousands of keys when there are no answers", async () => {
    let asked = 0;
    const lister = listerOf(() => {
      asked += 1;
      return { status: 500, content: "" };
    });
    const keys = Array.from({ length: 3000 }, (_, number) => `${number}`);
    const found = new Set(await lister.find(keys, signal));
    assert.deepEqual([...found], ["unknown"]);
    assert.ok(asked < 100, `${asked} requests`);
  });
});

describe("a listing that contradicts itself", () => {
  const listAll = (lister: ReturnType<typeof listerOf>, until?: Key) =>
    Array.fromAsync(lister.list({ after: undefined, until }, signal));

  it("is refused if it ends before its range, and there is more after that", async () => {
    const lister = listerOf((path) => {
      const isLater = new URL(path, nowhere).searchParams.has("start-after");
      return { status: 200, content: page(isLater ? ["z"] : ["a", "b"]) };
    });
    await assert.rejects(listAll(lister, "m"), {
      message: /says that its listing ends, and lists/,
    });
  });

  it("is read again, and may be right then", async () => {
    let listed = 0;
    const lister = listerOf((path) => {
      const isLater = new URL(path, nowhere).searchParams.has("start-after");
      if (isLater) return { status: 200, content: page(["z"]) };
      listed += 1;
      return { status: 200, content: page(listed === 1 ? ["a"] : ["a", "b", "m"]) };
    });
    const pages = await listAll(lister, "m");
    assert.deepEqual(
      pages.flatMap(({ objects }) => objects.map(({ key }) => key)),
      ["a", "b", "m"],
    );
  });

  it("may end before its range if that is all the bucket has", async () => {
    const lister = listerOf((path) => {
      const isLater = new URL(path, nowhere).searchParams.has("start-after");
      return { status: 200, content: page(isLater ? [] : ["a"]) };
    });
    assert.equal((await listAll(lister, "m")).length, 1);
  });

  it("is refused if it has another number of keys than it says", async () => {
    const lister = listerOf(() => ({ status: 200, content: page(["a"], { keyCount: 2 }) }));
    await assert.rejects(listAll(lister), { message: /another number of keys than it says/ });
  });
});
