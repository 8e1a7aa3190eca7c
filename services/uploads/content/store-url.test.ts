/** Addresses of objects in a real S3 store, and how its client is kept. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import {
  type CephServer,
  cephIsMissing,
  type ListeningServer,
  listen,
  startCeph,
} from "@stowage/process/testing";
import { useCredentials } from "../sources/testing/no-store.ts";
import { createBucket } from "../sources/testing/store-content.ts";
import type { SignedAnswer } from "./store-url.ts";
import { createObjectFinder, type FindObject } from "./stored-object.ts";

const key = "2026/Grüße & more?.txt";
/** They have parts that browsers resolve in addresses. */
const dottedKeys = ["../up", "./x", "a/../b", "a/./Grüße & more?", "a/.."];
const content = "five!";
const etag = `"${createHash("md5").update(content).digest("hex")}"`;
const indexed = { sizeBytes: content.length, updatedAtMicros: 0n, etag, versionId: undefined };
/** Nor does the machine that runs the tests have any. */
const noCredentials = {
  AWS_EC2_METADATA_DISABLED: "true",
  AWS_CONFIG_FILE: "/dev/null",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
};
const shown = { contentType: "text/plain", contentDisposition: 'inline; filename="a"' };

describe("the address of an object in a store", { skip: cephIsMissing }, () => {
  const environment = { ...process.env };
  let store: CephServer;
  before(async () => {
    store = await startCeph();
    Object.assign(process.env, store.environment);
    const bucket = await createBucket(store, "content");
    for (const each of [key, ...dottedKeys]) await bucket.put(each, content);
  });
  after(async () => {
    for (const name of Object.keys(store.environment)) delete process.env[name];
    Object.assign(process.env, environment);
    await store?.stop();
  });

  function addressOf(change: { key?: string; etag?: string }, method: "GET" | "HEAD" = "GET") {
    const location = locationAt(store.endpoint);
    const object = { location, key, ...indexed, ...change };
    return createUrlSigner()(object, { ...shown, method }, AbortSignal.timeout(60_000));
  }

  for (const method of ["GET", "HEAD"] as const) {
    it(`answers ${method} with the type and disposition that were asked for`, async () => {
      const response = await fetch(await addressOf({}, method), { method });
      assert.equal(response.status, 200);
      assert.equal(await response.text(), method === "GET" ? content : "");
      assert.equal(response.headers.get("content-type"), "text/plain");
      assert.equal(response.headers.get("content-disposition"), 'inline; filename="a"');
      assert.equal(response.headers.get("content-length"), `${content.length}`);
    });
  }

  for (const dotted of dottedKeys) {
    it(`leads browsers to the key ${dotted}`, async () => {
      const response = await fetch(await addressOf({ key: dotted }));
      assert.deepEqual([response.status, await response.text()], [200, content]);
    });
  }

  it("is not needed where the service streams the bytes, or a range of them", async () => {
    const location = { ...locationAt(store.endpoint), content: "stream" } as const;
    const signal = AbortSignal.timeout(60_000);
    const object = await createObjectFinder()({ location, key, ...indexed }, signal);
    for (const [first, last] of [
      [0, content.length - 1],
      [1, 3],
    ] as const) {
      const pieces = await Array.fromAsync(await object.open({ first, last }, signal));
      assert.equal(`${Buffer.concat(pieces)}`, content.slice(first, last + 1));
    }
  });

  it("is not given for an object that was changed or removed", async () => {
    await assert.rejects(addressOf({ etag: '"of another content"' }), {
      reason: "CONTENT_CHANGED",
    });
    await assert.rejects(addressOf({ key: "removed" }), { reason: "CONTENT_CHANGED" });
  });
});

describe("the client of a store", () => {
  let server: ListeningServer;
  let nowMs: number;
  /** The access key of each request. Each client takes those that are there when it is opened. */
  let accessKeys: string[];
  let ifMatch: string | undefined;
  let answer: (key: string, response: ServerResponse) => void;
  beforeEach(async () => {
    useCredentials();
    accessKeys = [];
    nowMs = 0;
    answer = (name, response) => void response.writeHead(name === "refused" ? 400 : 200).end();
    const http = createServer(({ headers, url = "" }, response) => {
      ifMatch = headers["if-match"];
      accessKeys.push(/Credential=(\w+)/.exec(headers.authorization ?? "")?.[1] ?? "");
      answer(/^\/content\/(\w+)/.exec(url)?.[1] ?? "", response);
    });
    server = await listen(http);
  });
  afterEach(() => server.close());

  function signer() {
    const sign = createUrlSigner(() => nowMs);
    return (name: string, accessKey: string) => {
      process.env.AWS_ACCESS_KEY_ID = accessKey;
      const object = { location: locationAt(server.url), key: name, ...indexed };
      return sign(object, { ...shown, method: "GET" }, AbortSignal.timeout(60_000));
    };
  }
  const unavailable = { reason: "CONTENT_UNAVAILABLE" };

  it("is not asked for an ETag: some stores list another one, or refuse to compare", async () => {
    const changedAt = "Thu, 01 Jan 1970 00:00:00 GMT";
    answer = (_, response) => {
      const head = { "content-length": content.length, etag: "", "last-modified": changedAt };
      response.writeHead(ifMatch === undefined ? 200 : 412, head).end();
    };
    assert.match(await signer()("other", "first"), /X-Amz-Signature/);
  });

  it("asks the store at its endpoint, and gives out the public one", async () => {
    const publicEndpoint = "https://files.example.com";
    const object = {
      location: { ...locationAt(server.url), publicEndpoint },
      key: "a",
      ...indexed,
    };
    const signal = AbortSignal.timeout(60_000);
    const url = await createUrlSigner()(object, { ...shown, method: "GET" }, signal);
    assert.match(url, /^https:\/\/files\.example\.com\/content\/a\?.*X-Amz-Signature=/);
    assert.equal(accessKeys.length, 1);
  });

  const archived: Record<string, [headers: Record<string, string>, message: RegExp | undefined]> = {
    "says that an object is archived": [
      { "x-amz-storage-class": "GLACIER" },
      /^the object is archived \(GLACIER\); its owner must restore it in the store first$/,
    ],
    "says that an object is in an archive tier": [
      { "x-amz-storage-class": "INTELLIGENT_TIERING", "x-amz-archive-status": "ARCHIVE_ACCESS" },
      /archived \(INTELLIGENT_TIERING, ARCHIVE_ACCESS\)/,
    ],
    "says that an object is being restored": [
      { "x-amz-storage-class": "DEEP_ARCHIVE", "x-amz-restore": 'ongoing-request="true"' },
      /is being restored from the archive \(DEEP_ARCHIVE\); try again in some hours$/,
    ],
    "gives an object that was restored": [
      { "x-amz-storage-class": "GLACIER", "x-amz-restore": 'ongoing-request="false", expiry' },
      undefined,
    ],
    "gives an object that can be read at once": [
      { "x-amz-storage-class": "GLACIER_IR" },
      undefined,
    ],
  };
  for (const [what, [headers, message]] of Object.entries(archived)) {
    it(what, async () => {
      answer = (_, response) => void response.writeHead(200, headers).end();
      const signed = signer()("other", "first");
      if (message === undefined) await signed;
      else await assert.rejects(signed, { reason: "CONTENT_ARCHIVED", message });
    });
  }

  const advice: Record<string, [answered: number, message: RegExp]> = {
    "the operator if the store refuses the service": [403, /refuses it .*; ask its operator$/],
    "for another attempt if the store has a fault": [500, /; try again$/],
  };
  for (const [what, [status, message]] of Object.entries(advice)) {
    it(`asks ${what}`, async () => {
      answer = (_, response) => void response.writeHead(status).end();
      await assert.rejects(signer()("other", "first"), { ...unavailable, message });
    });
  }

  it("is not asked for a key that is not UTF-8, which no request can name", async () => {
    answer = (_, response) => void response.writeHead(404).end();
    const object = { location: locationAt(server.url), ...indexed };
    const key = Buffer.from("a\xff", "latin1");
    const signing = createUrlSigner()(
      { ...object, key },
      { ...shown, method: "GET" },
      AbortSignal.timeout(60_000),
    );
    await assert.rejects(signing, { reason: "CONTENT_NOT_HELD", message: /is not UTF-8/ });
    assert.deepEqual(accessKeys, []);
  });

  it("asks the operator if the service has no credentials, without asking the store", async () => {
    const sign = createUrlSigner();
    delete process.env.AWS_ACCESS_KEY_ID;
    Object.assign(process.env, noCredentials);
    const object = { location: locationAt(server.url), key, ...indexed };
    const message = /^the service has no credentials for the store .*; ask its operator$/;
    const asked = sign(object, { ...shown, method: "GET" }, AbortSignal.timeout(60_000));
    await assert.rejects(asked, { ...unavailable, message });
    assert.deepEqual(accessKeys, []);
  });

  it("is replaced at most once in half a minute for an object that is always refused", async () => {
    const sign = signer();
    await sign("other", "first");
    nowMs += 30_000;
    for (let asked = 0; asked < 20; asked += 1) {
      await assert.rejects(sign("refused", asked === 0 ? "first" : `later${asked}`), unavailable);
    }
    await sign("other", "last");
    assert.deepEqual([...new Set(accessKeys)], ["first", "later1"]);
  });

  it("is replaced when its credentials have expired and were renewed", async () => {
    answer = (_, response) =>
      void response.writeHead(accessKeys.at(-1) === "old" ? 403 : 200).end();
    const sign = signer();
    await assert.rejects(sign("other", "old"), unavailable);
    nowMs += 30_000;
    await assert.rejects(sign("other", "new"), unavailable);
    assert.match(await sign("other", "new"), /X-Amz-Credential=new/);
  });

  it("stays when one that it has replaced is refused late", async () => {
    const sign = signer();
    await sign("other", "first");
    const held = new Promise<ServerResponse>((resolve) => {
      answer = (_, response) => resolve(response);
    });
    const late = assert.rejects(sign("late", "first"), unavailable);
    const response = await held;
    answer = (_, refused) => void refused.writeHead(403).end();
    nowMs += 30_000;
    await assert.rejects(sign("refused", "first"), unavailable);
    answer = (_, found) => void found.end();
    await sign("other", "second");
    nowMs += 30_000;
    response.writeHead(403).end();
    await late;
    await sign("other", "third");
    assert.equal(accessKeys.at(-1), "second");
  });
});

function createUrlSigner(nowMs?: () => number) {
  const find = createObjectFinder(nowMs);
  return async (
    object: Parameters<FindObject>[0],
    answer: SignedAnswer,
    signal: AbortSignal,
  ): Promise<string> => (await find(object, signal)).signUrl(answer);
}

function locationAt(endpoint: string) {
  return { kind: "s3", bucket: "content", prefix: "", endpoint, pathStyle: true } as const;
}
