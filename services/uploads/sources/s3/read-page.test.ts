import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bytesOfKey, type Key, keyOfBytes } from "../keys.ts";
import { nowhere, useFaultyProxy } from "../testing/no-store.ts";
import { type PagePosition, readPage, type StorePage } from "./read-page.ts";
import { openStore } from "./store.ts";

describe("the pages of a listing with versions", () => {
  const proxy = useFaultyProxy();

  const encoded = (key: Buffer) => key.toString("hex").replaceAll(/../g, "%$&");

  /** The answer of a store that has these keys, with one version each, to a request of the path. */
  function answer(keys: readonly Buffer[], path: string, markerOf = encoded): string {
    const asked = new URL(path, nowhere).searchParams;
    const marker = Buffer.from(asked.get("key-marker") ?? "");
    const following = keys.filter((key) => Buffer.compare(key, marker) > 0);
    const page = following.slice(0, Number(asked.get("max-keys")));
    const last = page.at(-1);
    const versions = page.map(
      (key) => `<Version><Key>${encoded(key)}</Key><VersionId>1</VersionId>
        <IsLatest>true</IsLatest><LastModified>2026-01-01T00:00:00.000Z</LastModified>
        <Size>1</Size></Version>`,
    );
    const isTruncated = following.length > page.length;
    const next = isTruncated && last ? `<NextKeyMarker>${markerOf(last)}</NextKeyMarker>` : "";
    return `<ListVersionsResult><EncodingType>url</EncodingType>${versions.join("")}${next}
      <IsTruncated>${isTruncated}</IsTruncated></ListVersionsResult>`;
  }

  function optionsFor(
    stored: readonly Key[],
    pageKeys: number,
    markerOf: (key: Buffer) => string = encoded,
    prefix = "",
  ): Parameters<typeof readPage>[0] {
    const keys = stored.map(bytesOfKey);
    proxy.damage((_number, path) => ({ status: 200, content: answer(keys, path, markerOf) }));
    const location = { bucket: "content", endpoint: proxy.endpoint, pathStyle: true };
    const store = openStore(location, { attemptsMax: 1 });
    const { signal } = new AbortController();
    return { store, prefix, versions: true, pageKeys, signal };
  }

  async function listKeys(...bucket: Parameters<typeof optionsFor>): Promise<readonly Key[]> {
    const options = optionsFor(...bucket);
    const listed: Key[] = [];
    let page: StorePage | undefined;
    do {
      page = await readPage(options, { after: page?.lastKey, next: page?.next });
      listed.push(...page.objects.map(({ key }) => key));
    } while (page.next !== undefined);
    return listed;
  }

  const notUtf8 = keyOfBytes(Buffer.from("62ff", "hex"));

  it("go on after a key with U+0000 with the next key of the bucket", async () => {
    const keys = ["a\0b", "a!", "a%00b", "b"];
    assert.deepEqual(await listKeys(keys, 1), keys);
  });

  it("have every key once beside keys that are not UTF-8", async () => {
    const keys = ["a", notUtf8, "c", "d"];
    assert.deepEqual(await listKeys(keys, 2), keys);
  });

  it("can be read for a single key, even if no request can name that key", async () => {
    const keys = ["ff61", "ff62"].map((hex) => keyOfBytes(Buffer.from(hex, "hex")));
    const page = await readPage(optionsFor(["a", ...keys], 3), { after: "b", keysMax: 1 });
    assert.deepEqual(page.objects[0]?.key, keys[0]);
  });

  it("do not depend on whether the store encodes its markers", async () => {
    const keys = ["a%7A", "ab", "ac", "b"];
    assert.deepEqual(await listKeys(keys, 1, String), keys);
  });

  it("have only keys that begin with the prefix", async () => {
    await assert.rejects(listKeys(["photos/a", "secret"], 1, encoded, "photos/"), {
      name: "StoreError",
      message: /lists "secret" when asked for keys that begin with "photos\/": it is not supported/,
    });
  });

  const timed = { timeout: 20_000 };
  it("end with an error if no request can name the key to go on after", timed, async () => {
    await assert.rejects(listKeys(["a", notUtf8, "c"], 1), {
      name: "StoreError",
      message: /goes on where it was, .* list the bucket without --versions/,
    });
  });
});

describe("a page of a listing", () => {
  const proxy = useFaultyProxy();

  const { signal } = new AbortController();
  function readAt(position: PagePosition, members: string, versions = false): Promise<StorePage> {
    const content = `<ListBucketResult>${members}</ListBucketResult>`;
    proxy.damage(() => ({ status: 200, content }));
    const location = { bucket: "content", endpoint: proxy.endpoint, pathStyle: true };
    const store = openStore(location, { attemptsMax: 1 });
    return readPage({ store, prefix: "", versions, pageKeys: 10, signal }, position);
  }
  const readAfter = (after: Key | undefined, members: string) => readAt({ after }, members);

  for (const keys of [["b", "b"], ["c", "b"], ["a"], ["A", "b"]]) {
    it(`after "a" is read three times, and refused, if it has the keys ${keys}`, async () => {
      const objects = keys.map(
        (key) => `<Contents><Key>${key}</Key><Size>1</Size>
          <LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
      );
      const reading = readAfter("a", `${objects.join("")}<IsTruncated>false</IsTruncated>`);
      await assert.rejects(reading, /does not list keys in the order of their bytes/);
      assert.equal(proxy.requests, 3);
    });
  }

  for (const token of ["", "<NextContinuationToken></NextContinuationToken>"]) {
    it(`is refused if the listing goes on with "${token}"`, async () => {
      const reading = readAfter(undefined, `<IsTruncated>true</IsTruncated>${token}`);
      await assert.rejects(reading, /a listing goes on, but not where: try again later/);
    });
  }

  for (const [name, versions] of [
    ["NextContinuationToken", false],
    ["NextKeyMarker", true],
  ] as const) {
    it(`is refused after a thousand empty ones, each with another ${name}`, async () => {
      let pages = 0;
      const readAll = async () => {
        for (let next: StorePage["next"]; ; pages += 1) {
          const members = `<IsTruncated>true</IsTruncated><${name}>${pages}</${name}>`;
          ({ next } = await readAt({ after: undefined, next }, members, versions));
        }
      };
      await assert.rejects(readAll(), /lists nothing, and says that the listing goes on: try/);
      assert.equal(pages, 999);
    });
  }
});
