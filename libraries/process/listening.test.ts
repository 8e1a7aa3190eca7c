import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer, get } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { describe, it } from "node:test";
import { closeServer, findPort, reachableUrl } from "./listening.ts";

const host = "127.0.0.1";

describe("findPort()", () => {
  it("returns the port that was asked for, or a free one for 0", async () => {
    const port = await findPort({ host, port: 0 });
    assert.ok(port > 0);
    assert.equal(await findPort({ host, port }), port);
  });

  for (const reusePort of [false, true]) {
    it(`rejects a port that is in use, shared: ${reusePort}`, async () => {
      const server = createServer().listen({ host, port: 0, reusePort });
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      await assert.rejects(findPort({ host, port }), { code: "EADDRINUSE" });
      server.close();
    });
  }
});

describe("reachableUrl()", () => {
  const cases: [host: string, url: string][] = [
    ["127.0.0.1", "http://127.0.0.1:8080"],
    ["0.0.0.0", "http://127.0.0.1:8080"],
    ["::", "http://[::1]:8080"],
    ["fe80::1", "http://[fe80::1]:8080"],
    ["files.example.com", "http://files.example.com:8080"],
  ];
  for (const [name, url] of cases) {
    it(`of ${name} is ${url}`, () => assert.equal(reachableUrl(name, 8080), url));
  }
});

describe("closeServer()", () => {
  for (const { what, graceMs, isAnswered } of [
    { what: "lets a running request finish", graceMs: 60_000, isAnswered: true },
    { what: "cuts off a request that outlasts the grace period", graceMs: 1, isAnswered: false },
  ]) {
    it(what, async () => {
      const server = createHttpServer().listen(0, host);
      await once(server, "listening");
      const request = get({ host, port: (server.address() as AddressInfo).port });
      const outcome = new Promise<boolean>((resolve) => {
        request.on("response", (response) => response.resume().on("end", () => resolve(true)));
        request.on("error", () => resolve(false));
      });
      const [, response] = await once(server, "request");
      const closed = closeServer(server, graceMs);
      if (isAnswered) response.end("answer");
      assert.equal(await outcome, isAnswered);
      await closed;
    });
  }
});
