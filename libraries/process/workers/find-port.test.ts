import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { it } from "node:test";
import { findPort } from "./find-port.ts";

const host = "127.0.0.1";

it("findPort() gives the port that was asked for, or a free one for 0", async () => {
  const port = await findPort({ host, port: 0 });
  assert.ok(port > 0);
  assert.equal(await findPort({ host, port }), port);
});

for (const reusePort of [false, true]) {
  it(`findPort() rejects a port that somebody has, shared: ${reusePort}`, async () => {
    const server = createServer().listen({ host, port: 0, reusePort });
    await once(server, "listening");
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    await assert.rejects(findPort({ host, port: address.port }), { code: "EADDRINUSE" });
    server.close();
  });
}
