import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { until } from "@stowage/process/testing";
import { ofPage, type TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const path = "/content/6f3c7a52-0c43-4f37-8d0e-8a7a3d2f4b11/upload-1";
/** As many as there are connections for content. */
const connections = 256;

let waiting: ServerResponse[];

/** Content waits until the test answers; calls are answered at once. */
function holdContent({ uploads }: TestService): void {
  waiting = [];
  uploads.answer = (request, response) => {
    if (request.url?.startsWith("/content/")) waiting.push(response);
    else response.end("{}");
  };
}

const download = (browser: TestBrowser) => browser.send(path, { headers: ofPage });

describe("downloads of one person", () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ PERSON_CONTENT_MAX: "2" });
  });
  after(() => service[Symbol.asyncDispose]());
  beforeEach(() => holdContent(service));

  it("are limited at once in all sessions together, and nothing else is", async () => {
    const [first, second] = [await service.signIn(), await service.signIn()];
    const downloads = [download(first), download(second)];
    await until("two downloads wait", () => waiting.length === 2);
    const refused = await download(second);
    assert.deepEqual([refused.status, refused.reason], [429, "TOO_MANY_CALLS"]);
    assert.equal((await second.call()).status, 200);
    service.issuer.idTokenClaims = { sub: "another-person" };
    const ofOther = download(await service.signIn());
    await until("the download of another person waits", () => waiting.length === 3);
    for (const response of waiting) response.end("x");
    for (const each of [...downloads, ofOther]) assert.equal((await each).status, 200);
    const again = download(second);
    await until("a further download waits", () => waiting.length === 4);
    waiting.at(-1)?.end("x");
    assert.equal((await again).status, 200);
  });
});

describe("downloads that take every connection for content", () => {
  it("do not keep calls waiting", async () => {
    const max = `${connections + 1}`;
    await using service = await startTestService({
      PERSON_CONTENT_MAX: max,
      SESSION_REQUESTS_MAX: max,
    });
    holdContent(service);
    const browser = await service.signIn();
    const downloads = Array.from({ length: connections }, () => download(browser));
    await until("all downloads wait", () => waiting.length === connections);
    assert.equal((await browser.call()).status, 200);
    for (const response of waiting) response.end("x");
    for (const each of downloads) assert.equal((await each).status, 200);
  });
});
