import assert from "node:assert/strict";
import { it } from "node:test";
import { bytesOfKey, compareKeys, type Key, keyOfBytes } from "../keys.ts";
import { listInParallel } from "../list-in-parallel.ts";
import type { Fault } from "../testing/faulty-proxy.ts";
import { nowhere, useFaultyProxy } from "../testing/no-store.ts";
import { bucketLister } from "./list-bucket.ts";
import { openStore } from "./store.ts";

const proxy = useFaultyProxy();

const encoded = (bytes: Buffer) => bytes.toString("hex").replaceAll(/../g, "%$&");

const { signal } = new AbortController();

function listerOf(
  answerTo: (path: string) => string,
  refusal?: (path: string) => Fault | undefined,
) {
  proxy.damage((_number, path) => refusal?.(path) ?? { status: 200, content: answerTo(path) });
  const location = { bucket: "content", endpoint: proxy.endpoint, pathStyle: true };
  return bucketLister({ store: openStore(location), prefix: "", pageKeys: 10 });
}

/** The answer to `ListObjectsV2` of a store that has these keys. Its tokens are numbers of keys. */
function answer(keys: readonly Buffer[], path: string): string {
  const asked = new URL(path, nowhere).searchParams;
  const token = asked.get("continuation-token");
  const startAfter = Buffer.from(asked.get("start-after") ?? "");
  const first = keys.findIndex((key) => Buffer.compare(key, startAfter) > 0);
  const from = token === null ? first : Number(token);
  const keysOfPage = keys.slice(from, from + Number(asked.get("max-keys")));
  const next = from + keysOfPage.length;
  const isTruncated = next < keys.length;
  return pageOf(keysOfPage.map(encoded), isTruncated ? `${next}` : undefined);
}

/** @param next the token of the next page, if there is one. */
function pageOf(encodedKeys: readonly string[], next?: string): string {
  const contents = encodedKeys.map(
    (key) => `<Contents><Key>${key}</Key><Size>1</Size>
      <LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
  );
  return `<ListBucketResult><EncodingType>url</EncodingType>${contents.join("")}
    <IsTruncated>${next !== undefined}</IsTruncated>
    ${next === undefined ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`}
    </ListBucketResult>`;
}

it("a listing goes on after any key that is not UTF-8, if pages end before it", async () => {
  const keys: Key[] = Array.from({ length: 40 }, (_, number) =>
    keyOfBytes(Buffer.from(`caf\xe9-${number + 10}`, "latin1")),
  );
  const stored = keys.map(bytesOfKey);
  const lister = listerOf((path) => answer(stored, path));
  for (const [index, key] of keys.entries()) {
    const range = { after: key, until: undefined };
    const pages = await Array.fromAsync(lister.list(range, signal));
    const listed = pages.flatMap(({ objects }) => objects.map((object) => object.key));
    assert.deepEqual(listed, keys.slice(index + 1));
  }
});

it("a listing reads no page after the one in which its range ends", async () => {
  const keys = Array.from({ length: 40 }, (_, number) => Buffer.from(`${number + 10}`));
  let pages = 0;
  const lister = listerOf((path) => {
    pages += path.includes("max-keys=10") ? 1 : 0;
    return answer(keys, path);
  });
  await Array.fromAsync(lister.list({ after: undefined, until: "25" }, signal));
  assert.equal(pages, 2);
});

/** How each kind of store refuses to start after a key. */
const refusals: Record<string, (path: string) => Fault | undefined> = {
  "404": (path) => (path.includes("start-after") ? { status: 404, content: "" } : undefined),
  "501": (path) =>
    path.includes("start-after") ? { status: 501, code: "NotImplemented" } : undefined,
  "400 beyond U+FFFF": (path) =>
    /start-after=[^&]*%F[0-4]/.test(path) ? { status: 400, code: "InvalidArgument" } : undefined,
};

for (const [what, refusal] of Object.entries(refusals)) {
  it(`every key is listed once from a store that refuses to start after one: ${what}`, async () => {
    const keys = ["a", "b", "🙂", "🚀"].flatMap((start) =>
      Array.from({ length: 60 }, (_, number) => `${start}${number + 10}`),
    );
    const stored = keys.map((key) => Buffer.from(key));
    for (const knownKeys of [[], ["a30", "b20", "b40", "🙂20", "🚀10"]]) {
      const lister = listerOf((path) => answer(stored, path), refusal);
      const ranges = lister.ranges(knownKeys);
      const pages = await Array.fromAsync(listInParallel(lister, ranges, signal));
      const listed = pages.flatMap(({ objects }) => objects.map(({ key }) => key));
      assert.deepEqual(listed.toSorted(compareKeys), keys.toSorted(compareKeys));
      // One for each page, and few that were refused.
      assert.ok(proxy.requests <= 24 + 8, `${proxy.requests} requests`);
    }
  });
}

it("a range alone is not empty because the store refuses to start there", async () => {
  const lister = listerOf((path) => answer([], path), refusals["501"]);
  const listing = Array.fromAsync(lister.list({ after: "a", until: undefined }, signal));
  await assert.rejects(listing, /does not have this kind of request/);
});

it("a range that is refused when others were not fails", async () => {
  const keys = ["a", "b", "c"].map((key) => Buffer.from(key));
  const refuseLater = (path: string) =>
    path.includes("start-after=b") ? refusals["501"]?.(path) : undefined;
  const lister = listerOf((path) => answer(keys, path), refuseLater);
  for (const range of [
    { after: undefined, until: "a" },
    { after: "a", until: "b" },
  ]) {
    await Array.fromAsync(lister.list(range, signal));
  }
  const listing = Array.fromAsync(lister.list({ after: "b", until: undefined }, signal));
  await assert.rejects(listing, /does not have this kind of request/);
});

it("a listing fails if keys come again after an empty page", async () => {
  const pages = [pageOf(["a", "b"], "1"), pageOf([], "2"), pageOf(["a"])];
  const lister = listerOf((path) => {
    const token = new URL(path, nowhere).searchParams.get("continuation-token");
    return pages[Number(token)] ?? "";
  });
  const listing = Array.fromAsync(lister.list({ after: undefined, until: undefined }, signal));
  await assert.rejects(listing, /does not list keys in the order of their bytes \("a" after "b"\)/);
});
