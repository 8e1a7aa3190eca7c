import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { type ListeningServer, listen } from "@stowage/process/testing";
import { nowhere, useCredentials, useFaultyProxy } from "../testing/no-store.ts";
import { openStore, requestXml } from "./store.ts";

describe("an answer of a store", () => {
  const proxy = useFaultyProxy();

  const { signal } = new AbortController();
  const prolog = '<?xml version="1.0" encoding="UTF-8"?>';

  function open(content: string) {
    proxy.damage(() => ({ status: 200, content }));
    const location = { bucket: "content", endpoint: proxy.endpoint, pathStyle: true };
    return openStore(location, { attemptsMax: 1 });
  }

  async function listKeys(content: string): Promise<(string | undefined)[]> {
    const command = new ListObjectsV2Command({ Bucket: "content" });
    const answer = await requestXml(open(content), signal, command, ["ListBucketResult"]);
    return answer.childrenNamed("Contents").map((entry) => entry.textOf("Key"));
  }

  const object = "<Contents><Key>a</Key><Owner><ID>1</ID><DisplayName/></Owner></Contents>";
  const listing = `${prolog}\n<ListBucketResult>${object.repeat(3)}</ListBucketResult>\n`;

  it("is read if it is complete", async () => {
    assert.deepEqual(await listKeys(listing), Array(3).fill("a"));
    for (const empty of ["<ListBucketResult/>", '<ListBucketResult xmlns="http://s3/" />']) {
      assert.deepEqual(await listKeys(empty), []);
      assert.deepEqual(await listKeys(`${prolog}\n${empty}\n`), []);
    }
  });

  it("is refused if it is cut off, wherever that is", async () => {
    for (let end = 0; end < listing.trimEnd().length; end += 7) {
      await assert.rejects(listKeys(listing.slice(0, end)), /does not answer completely.*cut off/);
    }
  });

  it("is refused if it has more bytes than any page of a listing", async () => {
    const tooLong = `<ListBucketResult>${" ".repeat(16 * 1024 * 1024)}</ListBucketResult>`;
    await assert.rejects(listKeys(tooLong), /an answer of the store is over 16777216 bytes/);
  });
});

describe("the client of a store", () => {
  const location = { bucket: "content", endpoint: nowhere, pathStyle: true };
  const variables = ["AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"] as const;

  it("has the credentials that are in the file when it is opened", async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "stowage-credentials-"));
    const file = join(folder.path, "credentials");
    for (const name of variables) process.env[name] = file;
    for (const key of ["OLD", "NEW"]) {
      await writeFile(file, `[renewed]\naws_access_key_id=${key}\naws_secret_access_key=s\n`);
      const { accessKeyId } = await openStore({
        ...location,
        profile: "renewed",
      }).client.config.credentials();
      assert.equal(accessKeyId, key);
    }
    for (const name of variables) delete process.env[name];
  });

  it("closes its connections when they are idle", { timeout: 20_000 }, async (test) => {
    useCredentials();
    const server = createServer((_, response) => response.end("<ListBucketResult/>"));
    server.keepAliveTimeout = 0;
    test.after(() => server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    const connected = once(server, "connection") as Promise<[Socket]>;
    const { client } = openStore({ ...location, endpoint }, { attemptTimeoutMs: 50 });
    await client.send(new ListObjectsV2Command({ Bucket: "content" }));
    const [socket] = await connected;
    if (!socket.closed) await once(socket, "close");
  });

  describe("behind a proxy", () => {
    let proxy: ListeningServer;
    let asked: string[];
    before(async () => {
      useCredentials();
      const server = createServer(({ method, url }, response) => {
        asked.push(`${method} ${url?.split("?")[0]}`);
        response.end("<ListBucketResult/>");
      });
      server.on("connect", ({ method, url }, socket) => {
        asked.push(`${method} ${url}`);
        socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      });
      proxy = await listen(server);
    });
    beforeEach(() => {
      asked = [];
    });
    after(() => proxy.close());

    async function list(endpoint: string, environment: Record<string, string>): Promise<unknown> {
      Object.assign(process.env, environment);
      try {
        const store = openStore({ ...location, endpoint }, { attemptsMax: 1 });
        const command = new ListObjectsV2Command({ Bucket: "content" });
        return await requestXml(store, AbortSignal.timeout(20_000), command, ["ListBucketResult"]);
      } finally {
        for (const name of Object.keys(environment)) delete process.env[name];
      }
    }

    it("asks the proxy for a store of http", async () => {
      await list("http://store.invalid", { HTTP_PROXY: proxy.url });
      assert.deepEqual(asked, ["GET http://store.invalid/content/"]);
    });

    it("connects through the proxy to a store of https", async () => {
      await assert.rejects(
        list("https://store.invalid", { HTTPS_PROXY: proxy.url }),
        /^StoreError: the proxy does not reach the store .*: check HTTPS_PROXY and NO_PROXY$/,
      );
      assert.deepEqual(asked, ["CONNECT store.invalid:443"]);
    });

    it("reaches a store that NO_PROXY names without the proxy", async () => {
      const environment = { HTTP_PROXY: nowhere, NO_PROXY: "store.example.com,127.0.0.1" };
      await list(proxy.url, environment);
      assert.deepEqual(asked, ["GET /content/"]);
    });
  });
});
