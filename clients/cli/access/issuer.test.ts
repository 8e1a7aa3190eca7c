import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { requestToken } from "./request-token.ts";

/** What is said if the token endpoint gives this answer. */
async function failureFor(status: number, type: string, body: string): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === "/token") {
      response.writeHead(status, { "Content-Type": type }).end(body);
      return;
    }
    const metadata = { issuer: authUrl, token_endpoint: `${authUrl}/token` };
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(metadata));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const authUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await requestToken({ authUrl, clientId: "a", clientSecret: "b" });
    return "";
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message.replace(authUrl, "URL");
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe("a request for a token", () => {
  for (const status of [429, 500, 503]) {
    it(`says that the issuer answers ${status}`, async () => {
      assert.equal(
        await failureFor(status, "text/plain", ""),
        `Cannot get a token from URL: the issuer answers ${status}; try again`,
      );
    });
  }

  for (const status of [200, 404]) {
    it(`says that a page with status ${status} is no answer of an issuer`, async () => {
      assert.equal(
        await failureFor(status, "text/html", "<!doctype html>"),
        `Cannot get a token from URL: no issuer answers there: got status ${status} and text/html`,
      );
    });
  }

  it("gives the reason of the issuer", async () => {
    const body = JSON.stringify({ error: "invalid_scope", error_description: "no such scope" });
    assert.equal(
      await failureFor(400, "application/json", body),
      "Cannot get a token from URL: invalid_scope: no such scope",
    );
  });
});
