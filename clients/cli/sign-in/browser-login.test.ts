import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { loginByBrowser } from "./browser-login.ts";

/** An issuer that answers when `refuse` is called: it refuses every code. */
async function startIssuer() {
  const asked = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<void>();
  const server = createServer(async (_, response) => {
    asked.resolve();
    await refused.promise;
    response.writeHead(400, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ error: "invalid_grant" }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
    },
    asked: asked.promise,
    refuse: refused.resolve,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe("a login by the browser of this machine", () => {
  const timed = { timeout: 20_000 };

  it("goes on when others call, and ends when the tab is closed", timed, async () => {
    using issuer = await startIssuer();
    const opened = Promise.withResolvers<URL>();
    const login = loginByBrowser(
      {
        issuer: issuer.metadata,
        client: { client_id: "cli" },
        scope: "openid",
        resource: undefined,
        tell: () => {},
      },
      async (url) => {
        opened.resolve(new URL(url));
        return true;
      },
    );
    const { searchParams } = await opened.promise;
    const back = new URL(searchParams.get("redirect_uri") ?? "");

    const stranger = connect({ host: back.hostname, port: Number(back.port) });
    stranger.end("GET //[ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert.match(await text(stranger), /^HTTP\/1\.1 404 /);

    back.searchParams.set("code", "x");
    back.searchParams.set("state", searchParams.get("state") ?? "");
    back.searchParams.set("iss", issuer.metadata.issuer);
    const tab = get(back).on("error", () => {});
    await issuer.asked;
    const closed = new Promise((resolve) => tab.on("close", resolve));
    tab.destroy();
    await closed;
    issuer.refuse();
    await assert.rejects(login, { error: "invalid_grant" });
  });
});
