import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { bytesOfKey, type Key, keyOfBytes } from "../keys.ts";
import { type FaultyProxy, startFaultyProxy } from "../testing/faulty-proxy.ts";
import { nowhere, useCredentials } from "../testing/no-store.ts";
import { bucketLister } from "./list-bucket.ts";
import { openStore } from "./store.ts";

let proxy: FaultyProxy;
before(async () => {
  useCredentials();
  proxy = await startFaultyProxy(nowhere);
});
after(() => proxy.stop());

const encoded = (bytes: Buffer) => bytes.toString("hex").replaceAll(/../g, "%$&");

/** The answer to `ListObjectsV2` of a store that has these keys. Its tokens are numbers of keys. */
function answer(keys: readonly Buffer[], path: string): string {
  const asked = new URL(path, nowhere).searchParams;
  const token = asked.get("continuation-token");
  const startAfter = Buffer.from(asked.get("start-after") ?? "");
  const first = keys.findIndex((key) => Buffer.compare(key, startAfter) > 0);
  const from = token === null ? first : Number(token);
  const page = keys.slice(from, from + Number(asked.get("max-keys")));
  const next = from + page.length;
  const isTruncated = next < keys.length;
  const contents = page.map(
    (key) => `<Contents><Key>${encoded(key)}</Key><Size>1</Size>
      <LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
  );
  return `<ListBucketResult><EncodingType>url</EncodingType>${contents.join("")}
    <IsTruncated>${isTruncated}</IsTruncated>
    ${isTruncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : ""}
    </ListBucketResult>`;
}

it("a listing goes on after any key that is not UTF-8, if pages end before it", async () => {
  const keys: Key[] = Array.from({ length: 40 }, (_, number) =>
    keyOfBytes(Buffer.from(`caf\xe9-${number + 10}`, "latin1")),
  );
  const stored = keys.map(bytesOfKey);
  proxy.damage((_number, path) => ({ status: 200, content: answer(stored, path) }));
  const location = { bucket: "content", endpoint: proxy.endpoint, pathStyle: true };
  const lister = bucketLister({ store: openStore(location), prefix: "", pageKeys: 10 });
  for (const [index, key] of keys.entries()) {
    const range = { after: key, until: undefined };
    const pages = await Array.fromAsync(lister.list(range, new AbortController().signal));
    const listed = pages.flatMap(({ objects }) => objects.map((object) => object.key));
    assert.deepEqual(listed, keys.slice(index + 1));
  }
});
