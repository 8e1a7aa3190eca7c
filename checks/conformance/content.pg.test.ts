/** The content of uploads: who gets it, in what form, and what nobody gets. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { makeTemporaryFolder, type TemporaryFolder } from "@stowage/process/testing";
import type { Caller } from "./model/caller.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, listFolderTreePath } from "./testing/json-caller.ts";
import { mirrorDirectory } from "./testing/mirrored-directory.ts";

const hostname = "files.example.com";
const owner: Caller = { organisationId: "owner", clientId: "reader" };
const stranger: Caller = { organisationId: "stranger", clientId: "reader" };
const inOtherFolder: Caller = {
  ...owner,
  authorizationDetails: [{ type: "bucket", actions: ["read"], locations: ["/elsewhere"] }],
};
const scanner: Caller = { ...owner, clientId: "scanner" };
const linkPath = "/stowage.v1.ContentService/CreateContentLink";
const text = "0123456789";

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

describe("the content of an upload", () => {
  let deployment: Deployment;
  let folder: TemporaryFolder;
  let directory: string;
  let bucketId: string;
  let uploadIds: ReadonlyMap<string, string>;

  before(async () => {
    folder = await makeTemporaryFolder();
    directory = folder.path;
    await mkdir(join(directory, "folder"));
    const files = ["a.txt", "page.html", "picture.svg", "naïve “name”.png", "folder/b.txt"];
    for (const path of [...files, "changed.txt", "gone.txt", "swapped.txt", "held"]) {
      await writeFile(join(directory, path), text);
    }
    const lines = [
      { bucket: { bucketId: otherBucketId, hostname: "b.example.com", organisationId: "owner" } },
      { integration: { integrationId, name: "Scanner", oauthClientId: scanner.clientId } },
      { upload: { uploadId: "not held", path: "/", filename: "x", sizeBytes: 1 } },
      { upload: { uploadId: "hidden", path: "/", filename: "y", sizeBytes: 1, ...hidden } },
    ];
    deployment = await deploy({ lines });
    // A time with microseconds, as files have.
    await utimes(join(directory, "a.txt"), 1_700_000_000.123456, 1_700_000_000.123456);
    const mirrored = await mirrorDirectory(deployment.databaseUrl, directory, hostname);
    ({ bucketId, uploadIds } = mirrored);
  });
  after(async () => {
    await deployment?.close();
    await folder?.remove();
  });

  const addressOf = (name: string) => `/content/${bucketId}/${uploadIds.get(name)}`;
  const read = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    request(new URL(path, deployment.url), method, headers);
  const readAs = (caller: Caller, path: string, headers = {}, method = "GET") =>
    read(path, { authorization: `Bearer ${deployment.issuer.mint(caller)}`, ...headers }, method);
  async function makeLink(body: object): Promise<URL> {
    const token = deployment.issuer.mint(owner);
    const request = { bucketRef: { hostname }, ...body };
    const answer = await callJson(deployment.url, { path: linkPath, body: request, token });
    assert.equal(answer.status, 200, answer.text);
    return new URL((JSON.parse(answer.text) as { url: string }).url);
  }

  it("is sent to a caller who may list it, and as headers alone for HEAD", async () => {
    const { status, headers, body } = await readAs(owner, addressOf("a.txt"));
    assert.deepEqual([status, body], [200, text]);
    assert.equal(headers["content-type"], "text/plain; charset=utf-8");
    assert.equal(headers["content-length"], "10");
    const head = await readAs(owner, addressOf("a.txt"), {}, "HEAD");
    assert.deepEqual([head.status, head.body], [200, ""]);
    assert.equal(head.headers["content-length"], "10");
    assert.equal(head.headers.etag, headers.etag);
  });

  it("is at the address that lists and trees give", async () => {
    const token = deployment.issuer.mint(owner);
    const bucketRef = { hostname };
    const list = await callJson(deployment.url, { body: { bucketRef }, token });
    const { uploads } = JSON.parse(list.text) as { uploads: { contentUrl: string }[] };
    const tree = await callJson(deployment.url, {
      path: listFolderTreePath,
      body: { bucketRef, includeUploads: true },
      token,
    });
    const addresses = uploads.map(({ contentUrl }) => contentUrl).sort();
    const inTree = [...tree.text.matchAll(/"contentUrl":"([^"]*)"/g)].map(([, url]) => url).sort();
    const expected = [...uploadIds.values()].map(
      (id) => `${deployment.url}/content/${bucketId}/${id}`,
    );
    assert.deepEqual([addresses, inTree], [expected.sort(), expected.sort()]);
  });

  it("needs a token with the scope", async () => {
    const missing = await read(addressOf("a.txt"));
    assert.equal(missing.status, 401);
    assert.match(missing.headers["www-authenticate"] ?? "", /^Bearer realm="stowage"/);
    const token = deployment.issuer.mint(owner, { scope: "other" });
    const refused = await read(addressOf("a.txt"), { authorization: `Bearer ${token}` });
    assert.equal(refused.status, 403);
  });

  it("is the same 404 if there is none, it is another tenant's, or it is hidden", async () => {
    const bodies = new Set<string>();
    for (const [caller, path] of [
      [owner, `/content/${bucketId}/none`],
      [owner, `/content/${otherBucketId.replace("0", "1")}/none`],
      [owner, "/content/x/y"],
      [owner, `${addressOf("a.txt")}/more`],
      [owner, `/content/${bucketId}/%00`],
      [owner, `/content/${bucketId}/%zz`],
      [stranger, addressOf("a.txt")],
      [inOtherFolder, addressOf("a.txt")],
      [owner, `/content/${otherBucketId}/hidden`],
    ] satisfies [Caller, string][]) {
      const { status, body } = await readAs(caller, path);
      assert.equal(status, 404, path);
      bodies.add(body);
    }
    assert.equal(bodies.size, 1, [...bodies].join("\n"));
    assert.match([...bodies][0] ?? "", /UPLOAD_NOT_FOUND|no such upload/);
  });

  it("of an upload without a source is not held", async () => {
    for (const uploadId of ["not%20held", "hidden"]) {
      const { status, body } = await readAs(scanner, `/content/${otherBucketId}/${uploadId}`);
      assert.equal(status, 404);
      assert.match(body, /no source that holds its content/);
    }
  });

  const ranges: [range: string, status: number, body: string, contentRange?: string][] = [
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=8-", 206, "89", "bytes 8-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=5-100", 206, "56789", "bytes 5-9/10"],
    ["bytes=10-", 416, "", "bytes */10"],
    ["bytes=0-0,5-5", 200, text],
    ["lines=0-1", 200, text],
    ["bytes=-11", 206, text, "bytes 0-9/10"],
    ["bytes=4-2", 200, text],
  ];
  for (const [range, expected, content, contentRange] of ranges) {
    it(`answers the range ${range} with ${expected}`, async () => {
      const { status, headers, body } = await readAs(owner, addressOf("a.txt"), { range });
      assert.deepEqual([status, body], [expected, content]);
      assert.equal(headers["content-range"], contentRange);
    });
  }

  it("is not sent again to a caller who has it, nor as a range of another one", async () => {
    const path = addressOf("a.txt");
    const { headers } = await readAs(owner, path);
    const { etag = "", "last-modified": modified = "" } = headers;
    const status = async (more: Record<string, string>) => (await readAs(owner, path, more)).status;
    assert.equal(await status({ "if-none-match": etag }), 304);
    assert.equal(await status({ "if-modified-since": modified }), 304);
    assert.equal(await status({ "if-none-match": '"other"' }), 200);
    const range = "bytes=0-1";
    assert.equal(await status({ range, "if-range": etag }), 206);
    assert.equal(await status({ range, "if-range": modified }), 200);
    assert.equal(await status({ range, "if-range": '"other"' }), 200);
  });

  it("cannot run in a browser, whatever it is", async () => {
    for (const [name, disposition] of [
      ["a.txt", /^inline/],
      ["page.html", /^attachment; filename="?page.html/],
      ["picture.svg", /^attachment/],
      ["held", /^attachment/],
      ["naïve “name”.png", /^inline; filename=".*"; filename\*=UTF-8''na%C3%AFve%20%E2%80%9C/],
    ] as const) {
      const { headers } = await readAs(owner, addressOf(name));
      assert.match(headers["content-disposition"] ?? "", disposition, name);
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.match(String(headers["content-security-policy"]), /sandbox/);
      assert.doesNotMatch(headers["content-type"] ?? "", /html|svg|script/);
    }
  });

  it("that is no longer the one in the index is refused", async () => {
    await writeFile(join(directory, "changed.txt"), "9876543210");
    await rm(join(directory, "gone.txt"));
    for (const name of ["changed.txt", "gone.txt"]) {
      const { status, body } = await readAs(owner, addressOf(name));
      assert.equal(status, 409, name);
      assert.match(body, /changed or removed since it was indexed/);
    }
  });

  it("is never read from outside the directory", async () => {
    const { path: outside, remove } = await makeTemporaryFolder();
    try {
      for (const [inside, name] of [
        ["swapped.txt", "swapped.txt"],
        ["folder", "folder/b.txt"],
      ] as const) {
        // The same name, size and time, so that only the place differs.
        await rename(join(directory, inside), join(outside, inside));
        await symlink(join(outside, inside), join(directory, inside));
        assert.equal((await readAs(owner, addressOf(name))).status, 409, name);
        await rm(join(directory, inside));
        await rename(join(outside, inside), join(directory, inside));
        assert.equal((await readAs(owner, addressOf(name))).status, 200, name);
      }
    } finally {
      await remove();
    }
  });

  it("can be read by a link without a token, until it expires", async () => {
    const uploadId = uploadIds.get("page.html");
    const link = await makeLink({ uploadId, expiresInSeconds: 60 });
    assert.equal((await read(link.pathname + link.search)).body, text);
    const saved = await makeLink({ uploadId: uploadIds.get("a.txt"), attachment: true });
    const { headers } = await read(saved.pathname + saved.search);
    assert.match(headers["content-disposition"] ?? "", /^attachment/);

    const short = await makeLink({ uploadId, expiresInSeconds: 1 });
    let answer: Answer;
    do {
      answer = await read(short.pathname + short.search);
    } while (answer.status === 200);
    assert.equal(answer.status, 403);
    assert.match(answer.body, /the link has expired/);
  });

  it("cannot be read by a link that was changed", async () => {
    const { pathname, search } = await makeLink({ uploadId: uploadIds.get("a.txt") });
    const signature = /signature=([\w-]+)/.exec(search)?.[1] ?? "";
    for (const changed of [
      addressOf("page.html") + search,
      `${pathname}${search}&attachment=1`,
      pathname + search.replace(/expires=\d+/, "expires=9999999999"),
      pathname + search.replace("expires=", "expires=0"),
      pathname + search.replace(/\?(expires=\d+)&(.*)/, "?$2&$1"),
      pathname + search.replace(signature, signature.slice(0, -2)),
      pathname + search.replace(signature, ""),
      `${pathname}${search}&x=1`,
      `${pathname}${search}?x=1`,
      `${pathname}?signature=${signature}`,
    ]) {
      const { status, body } = await read(changed);
      assert.deepEqual([status, /changed or withdrawn/.test(body)], [403, true], changed);
    }
  });

  for (const [field, body] of [
    ["uploadId", {}],
    ["uploadId", { uploadId: "x".repeat(129) }],
    ["expiresInSeconds", { uploadId: "x", expiresInSeconds: -1 }],
    ["expiresInSeconds", { uploadId: "x", expiresInSeconds: 604_801 }],
  ] as const) {
    it(`has no link for ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const token = deployment.issuer.mint(owner);
      const request = { bucketRef: { hostname }, ...body };
      const answer = await callJson(deployment.url, { path: linkPath, body: request, token });
      assert.equal(answer.status, 400);
      assert.match(answer.text, new RegExp(`${field}: `));
    });
  }

  it("has a link only for who may list it", async () => {
    const body = { bucketRef: { bucketId }, uploadId: uploadIds.get("a.txt") };
    for (const caller of [stranger, inOtherFolder]) {
      const token = deployment.issuer.mint(caller);
      assert.equal((await callJson(deployment.url, { path: linkPath, body, token })).status, 404);
    }
  });

  it("is read by GET and HEAD only", async () => {
    const { status, headers } = await readAs(owner, addressOf("a.txt"), {}, "POST");
    assert.deepEqual([status, headers.allow], [405, "GET, HEAD"]);
  });
});

const otherBucketId = "0b000000-0000-4000-8000-00000000000b";
const integrationId = "0b000000-0000-4000-8000-00000000000c";
const hidden = { integrationId, integrationHidden: true };

async function request(url: URL, method: string, headers: Record<string, string>): Promise<Answer> {
  const sent = httpRequest(url, { method, headers, agent: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const { statusCode: status = 0 } = response;
  return { status, headers: response.headers, body: await textOf(response) };
}
