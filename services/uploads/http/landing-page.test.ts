import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { serveLandingPage } from "./landing-page.ts";

describe("the page at the service's address", () => {
  const server = createServer((request, response) => {
    if (!serveLandingPage(request, response)) response.writeHead(418).end();
  });
  let url = "";
  before(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it("is HTML that names all operations", async () => {
    const response = await fetch(`${url}/?from=somewhere`);
    const text = await response.text();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    for (const operation of [
      "BucketUploadsService/ListUploads",
      "BucketFoldersService/ListFolderTree",
      "BucketsService/ListBuckets",
      "ContentService/CreateContentLink",
    ])
      assert.ok(text.includes(operation));
  });

  it("allows no loading, no scripts and no style but its own", async () => {
    const response = await fetch(url);
    const text = await response.text();
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.ok(policy.startsWith(`default-src 'none'; style-src 'sha256-${hash}'`), policy);
    assert.ok(!/<script|\son\w+=|style=|src=|href=/.test(text));
  });

  it("has no body for HEAD", async () => {
    const response = await fetch(url, { method: "HEAD" });
    assert.equal(response.status, 200);
    assert.equal(await response.text(), "");
    assert.ok(Number(response.headers.get("content-length")) > 1000);
  });

  for (const [method, path] of [
    ["POST", "/"],
    ["GET", "/index.html"],
    ["GET", "//"],
  ] as const) {
    it(`does not answer ${method} ${path}`, async () => {
      assert.equal((await fetch(url + path, { method })).status, 418);
    });
  }
});
