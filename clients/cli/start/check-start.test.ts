import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { it } from "node:test";
import { requireFreePorts } from "./check-start.ts";

/** With this address, the page's server listens on 127.0.0.1, and the others listen there. */
const HOST = "127.0.0.2";

for (const [taken, isRefused] of [
  ["127.0.0.1", true],
  [HOST, false],
] as const) {
  it(`a start at ${HOST}, the page's port in use at ${taken}: refused: ${isRefused}`, async () => {
    const other = createServer();
    await once(other.listen({ host: taken, port: 0 }), "listening");
    try {
      const { port } = other.address() as AddressInfo;
      const checking = requireFreePorts({ HOST, PORT: "0", AUTH_PORT: "0", WEB_PORT: `${port}` });
      if (isRefused)
        await assert.rejects(checking, /page's server on 127\.0\.0\.1 port \d+: .* in use/);
      else await checking;
    } finally {
      other.close();
    }
  });
}
