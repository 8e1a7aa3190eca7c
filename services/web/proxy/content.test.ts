import assert from "node:assert/strict";
import { createServer } from "node:http";
import { it } from "node:test";
import type { Logger } from "@stowage/process";
import { listen } from "@stowage/process/testing";
import { BrowserGoneError } from "../http/while-connected.ts";
import type { OpenSession, Sessions } from "../session/sessions.ts";
import { serveContent } from "./content.ts";
import { forwardToUploads } from "./uploads.ts";
import { Upstream } from "./upstream.ts";

it("a browser that leaves while a link is read is no outage", async (test) => {
  const browser = new AbortController();
  const uploads = createServer((_, response) => response.writeHead(200).flushHeaders());
  const { url: baseUrl, close: closeUploads } = await listen(uploads);
  test.after(closeUploads);
  const logger = {} as Logger;
  const forward = forwardToUploads({ baseUrl, upstream: new Upstream(), logger });
  const session = { tokens: { accessToken: "a" }, [Symbol.dispose]() {} } as OpenSession;
  const serve = serveContent({
    sessions: { open: async () => session } as unknown as Sessions,
    async forward(...request) {
      const answer = await forward(...request);
      browser.abort();
      return answer;
    },
    stores: new Upstream(),
    hasOwnOrigin: true,
  });
  const thrown = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    Promise.resolve(serve(request, response)).catch(thrown.resolve);
  });
  const { url, close } = await listen(server);
  test.after(close);

  const id = crypto.randomUUID();
  await assert.rejects(fetch(`${url}/content/${id}/${id}`, { signal: browser.signal }));
  assert.ok((await thrown.promise) instanceof BrowserGoneError);
});
