/** Against a real S3 server. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { type CephServer, cephIsMissing, startCeph } from "@stowage/process/testing";
import fc from "fast-check";
import { compareKeys, type Key } from "../keys.ts";
import { listInParallel } from "../list-in-parallel.ts";
import type { ListedObject, ListedPage, ListingRange } from "../lister.ts";
import { allowedKeys } from "../testing/allowed-keys.ts";
import { type Fault, type FaultyProxy, startFaultyProxy } from "../testing/faulty-proxy.ts";
import {
  type BucketContent,
  createBucket,
  keysByS3cmd,
  s3cmdIsMissing,
} from "../testing/store-content.ts";
import { bucketLister } from "./list-bucket.ts";
import { openStore, request } from "./store.ts";

describe("the listing of a bucket in an S3 store", { skip: cephIsMissing }, () => {
  let server: CephServer;
  let proxy: FaultyProxy;
  let content: BucketContent;
  const keys = allowedKeys();
  before(async () => {
    server = await startCeph();
    Object.assign(process.env, server.environment);
    proxy = await startFaultyProxy(server.endpoint);
    content = await createBucket(server, "content");
    await content.putAll(keys);
  });
  after(async () => {
    await proxy?.stop();
    await server?.stop();
  });

  const { signal } = new AbortController();

  function open(endpoint: string, bucket = "content", attemptsMax = 12) {
    const limits = { attemptTimeoutMs: 500, attemptsMax };
    return openStore({ bucket, endpoint, pathStyle: true }, limits);
  }

  type Options = Partial<Parameters<typeof bucketLister>[0]> & { readonly knownKeys?: Key[] };

  function lister(options: Options = {}) {
    return bucketLister({ store: open(server.endpoint), prefix: "", pageKeys: 20, ...options });
  }

  async function listAll(options: Options = {}): Promise<ListedPage[]> {
    const from = lister(options);
    const ranges = from.ranges(options.knownKeys ?? []);
    const lists = ranges.map((range) => Array.fromAsync(from.list(range, signal)));
    return (await Promise.all(lists)).flat();
  }

  const objectsOf = (pages: readonly ListedPage[]) => pages.flatMap(({ objects }) => objects);
  const keysOf = (pages: readonly ListedPage[]) => objectsOf(pages).map(({ key }) => key);
  const inRange = ({ after: from, until }: ListingRange) =>
    keys.filter(
      (key) =>
        (from === undefined || compareKeys(key, from) > 0) &&
        (until === undefined || compareKeys(key, until) <= 0),
    );

  it("has every key once, also if its ranges are divided while they are listed", async () => {
    const from = lister({ pageKeys: 2 });
    const pages = await Array.fromAsync(listInParallel(from, from.ranges([]), signal));
    assert.deepEqual(keysOf(pages).toSorted(compareKeys), keys);
    // In one range, they would be in order.
    assert.notDeepEqual(keysOf(pages), keys);
  });

  it("has every key once in ranges that are known", async () => {
    assert.deepEqual(keysOf(await listAll()), keys);
    const knownKeys = keys.filter((_, index) => index % 17 === 0);
    assert.deepEqual(keysOf(await listAll({ knownKeys })), keys);
    const disorder = [...knownKeys.slice(3), "", ...knownKeys];
    assert.deepEqual(keysOf(await listAll({ knownKeys: disorder })), keys);
  });

  it("goes on after any key, up to any other", async () => {
    const key = fc.option(fc.constantFrom(...keys), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(key, key, fc.boolean(), async (from, until, versions) => {
        const range = { after: from, until };
        const pages = await Array.fromAsync(lister({ versions }).list(range, signal));
        assert.deepEqual(keysOf(pages), inRange(range));
      }),
      { numRuns: 20 },
    );
  });

  it("has only the keys of a prefix", async () => {
    const prefix = "photos/";
    const expected = keys.filter((key) => key.startsWith(prefix));
    assert.deepEqual(keysOf(await listAll({ prefix })), expected);
  });

  it("is the same if the bucket is in the host name", async () => {
    const { port } = new URL(server.endpoint);
    const store = openStore({ bucket: "content", endpoint: `http://localhost:${port}` });
    const hosts = new Set<string>();
    store.client.middlewareStack.add(
      (next) => (input) => {
        const request = input.request as { hostname: string };
        hosts.add(request.hostname);
        // Not every system resolves names under localhost. The header is signed already.
        request.hostname = "127.0.0.1";
        return next(input);
      },
      { step: "finalizeRequest", priority: "low" },
    );
    assert.deepEqual(keysOf(await listAll({ store, pageKeys: 1000 })), keys);
    assert.deepEqual([...hosts], ["content.localhost"]);
  });

  it("has the same keys as another client's", { skip: s3cmdIsMissing }, async () => {
    const plain = await createBucket(server, "plain");
    const plainKeys = keys.filter((key) => !/[\p{Cc}\uffff]/u.test(key));
    await plain.putAll(plainKeys);
    const store = open(server.endpoint, "plain");
    assert.deepEqual(keysOf(await listAll({ store })), await keysByS3cmd(server, "plain"));
  });

  it("has size, time, ETag and storage class; with versions, the ID of the current", async () => {
    const versioned = await createBucket(server, "versioned");
    await versioned.keepVersions();
    for (const text of ["1", "22", "333"]) await versioned.put("a/changed", text);
    await versioned.put("gone");
    await versioned.remove("gone");
    await versioned.put("z");
    const store = open(server.endpoint, "versioned");
    const startMs = Date.now() - 60_000;
    const [plain] = objectsOf(await listAll({ store }));
    assert.equal(plain?.sizeBytes, 3);
    assert.equal(plain?.createdAtMicros, undefined);
    assert.ok(Number(plain?.updatedAtMicros) / 1000 > startMs);
    const etag = '"310dcbbf4cce62f762a2aaa148d556bd"';
    assert.deepEqual(plain?.s3, { etag, storageClass: "STANDARD" });
    for (const pageKeys of [1, 2, 1000]) {
      const found = objectsOf(await listAll({ store, versions: true, pageKeys }));
      assert.deepEqual(
        found.map(({ key }) => key),
        ["a/changed", "z"],
      );
      assert.equal(found[0]?.s3?.etag, etag);
      assert.match(found[0]?.s3?.versionId ?? "", /./);
    }
  });

  it("has every key once with versions, whatever the key at the end of a page is", async () => {
    const bucket = await createBucket(server, "marked");
    await bucket.keepVersions();
    const marked = ["%41", "a%7A", "a+b", "ab", "ac", "b", "b%20c", "b c", "b+c", "b+d", "c", "z"];
    for (const key of [...marked, ...marked, "b+c", "b+c", "gone"]) await bucket.put(key);
    await bucket.remove("gone");
    const store = open(server.endpoint, "marked");
    for (const pageKeys of [1, 2, 3, 7]) {
      const found = keysOf(await listAll({ store, versions: true, pageKeys }));
      assert.deepEqual(found, marked.toSorted(compareKeys));
    }
    const knownKeys = ["a+b", "b c", "b+c"];
    const found = keysOf(await listAll({ store, versions: true, pageKeys: 2, knownKeys }));
    assert.deepEqual(found, marked.toSorted(compareKeys));
  });

  it("has the tags of objects if it is asked for", async () => {
    const tagged = await createBucket(server, "tagged");
    await tagged.put("a b+c", "x", { tags: "colour=dark%20red&empty=" });
    await tagged.put("long", "x", { tags: `k=${"v".repeat(255)}&short=1` });
    await tagged.put("none");
    const pages = await listAll({ store: open(server.endpoint, "tagged"), tags: true });
    const tagsOf = ({ key, tags }: ListedObject) => [key, tags?.toSorted()];
    assert.deepEqual(objectsOf(pages).map(tagsOf), [
      ["a b+c", ["colour=dark red", "empty="]],
      ["long", ["short=1"]],
      ["none", []],
    ]);
    const reason = "a tag is over 256 bytes; the object is there without it";
    assert.deepEqual(
      pages.flatMap(({ leftOut }) => leftOut),
      [{ key: "long", reason, isUnreadable: false, isPart: true }],
    );
  });

  const passing: [what: string, fault: Fault][] = [
    ["cut off", "cut"],
    ["truncated", "truncate"],
    ["empty", "empty"],
    ["out of order", "disorder"],
    ["pages for people", "login"],
    ["never there", "stall"],
    ["500", { status: 500, code: "InternalError" }],
    ["503 SlowDown", { status: 503, code: "SlowDown" }],
    ["429", { status: 429, code: "TooManyRequests" }],
  ];
  for (const [what, fault] of passing) {
    it(`is complete if some answers are ${what}`, async () => {
      const damaged = Math.floor(Math.random() * 3);
      proxy.damage((number) => (number % 3 === damaged ? fault : undefined));
      const store = open(proxy.endpoint);
      assert.deepEqual(keysOf(await listAll({ store, pageKeys: 100 })), keys);
      assert.ok(proxy.requests > keys.length / 100);
    });
  }

  it("is complete if the client's clock is an hour behind", async (context) => {
    context.mock.timers.enable({ apis: ["Date"], now: Date.now() - 3_600_000 });
    const store = open(server.endpoint);
    assert.deepEqual(keysOf(await listAll({ store, pageKeys: 1000 })), keys);
  });

  const lasting: [what: string, fault: Fault, message: RegExp][] = [
    ["expired credentials", error(400, "ExpiredToken"), /credentials have expired: renew them/],
    ["an unknown access key", error(403, "InvalidAccessKeyId"), /does not know the access key/],
    [
      "no permission",
      error(403, "AccessDenied"),
      /may not read the bucket content: they need s3:L/,
    ],
    ["a wrong clock", error(403, "RequestTimeTooSkewed"), /clock of this machine .* set the clock/],
    ["overload", error(503, "SlowDown"), /too many \(SlowDown\): try again later/],
    ["errors", error(500, "InternalError"), /answers with errors \(500 InternalError\): try again/],
    ["cut answers", "cut", /does not answer completely or in time \(.*\): try again later/],
    ["truncated answers", "truncate", /does not answer completely .*XML that is cut off/],
    ["disorder", "disorder", /does not list keys in the order of their bytes \("/],
    ["pages for people", "login", /The answer is <html> in place of <ListBucketResult>/],
    ["a listing that ends unsaid", "unended", /does not say whether a listing goes on/],
    ["requests that the store lacks", error(501, "NotImplemented"), /leave out --versions and/],
    ["a listing without an end", "endless", /lists nothing, and says that the listing goes on/],
    [
      "another region",
      error(400, "AuthorizationHeaderMalformed", "the region is wrong; expecting 'eu-west-3'"),
      /the bucket content is in the region eu-west-3: pass --region eu-west-3/,
    ],
  ];
  for (const [what, fault, message] of lasting) {
    it(`fails with words that tell what to do about ${what}`, async () => {
      proxy.damage(() => fault);
      const store = open(proxy.endpoint, "content", 2);
      await assert.rejects(listAll({ store }), { name: "StoreError", message });
    });
  }

  it("fails with words for a bucket or server that is not there, and a wrong secret", async () => {
    const missing = open(server.endpoint, "missing");
    await assert.rejects(listAll({ store: missing }), { message: /there is no bucket missing at/ });
    const nowhere = open("http://127.0.0.1:1", "content", 2);
    await assert.rejects(listAll({ store: nowhere }), {
      message: /cannot be reached \(ECONNREFUSED\): check --endpoint/,
    });
    const env = { ...process.env };
    process.env.AWS_SECRET_ACCESS_KEY = "wrong";
    await assert.rejects(listAll(), { message: /secret key does not belong to the access key/ });
    Object.assign(process.env, env);
  });

  it("does not wait for the rest of an object that stops coming", async () => {
    const objects = await createBucket(server, "objects");
    await objects.put("large", "x".repeat(1000));
    proxy.damage(() => "pause");
    const answer = await request(open(proxy.endpoint), signal, (client, how) =>
      client.send(new GetObjectCommand({ Bucket: "objects", Key: "large" }), how),
    );
    assert.ok(answer.Body);
    await assert.rejects(answer.Body.transformToByteArray(), { name: "TimeoutError" });
  });

  it("ends with the signal's reason, also in the middle of an answer", async () => {
    proxy.damage(() => "stall");
    const ended = new AbortController();
    const listing = Array.fromAsync(
      lister({ store: open(proxy.endpoint) }).list(
        { after: undefined, until: undefined },
        ended.signal,
      ),
    );
    ended.abort(new Error("enough"));
    await assert.rejects(listing, { message: "enough" });
  });
});

function error(status: number, code: string, text = code): Fault {
  return { status, code, text };
}
