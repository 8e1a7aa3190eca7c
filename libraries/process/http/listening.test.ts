import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { holdPort, listenHttp, reachableUrl } from "./listening.ts";

const host = "127.0.0.1";

describe("holdPort()", () => {
  it("refuses a port that another program has, also if its workers share that", async () => {
    const server = createServer().listen({ host, port: 0, reusePort: true });
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await assert.rejects(holdPort({ host, port }), {
      message: `Cannot listen on ${host} port ${port} (PORT)`,
    });
    await once(server.close(), "close");
    assert.equal((await holdPort({ host, port })).port, port);
  });

  it("chooses a port that workers can share, and other programs cannot take", async () => {
    const { port, release } = await holdPort({ host, port: 0 });
    await assert.rejects(holdPort({ host, port }), /Cannot listen/);
    const worker = createServer().listen({ host, port, reusePort: true });
    await once(worker, "listening");
    await release();
    await assert.rejects(holdPort({ host, port }), /Cannot listen/);
    await once(worker.close(), "close");
  });
});

describe("a host that is no address of this machine", () => {
  const usual = { keepAliveTimeoutMs: 1000, addressConnectionsMax: 2, trustedProxies: [] };
  for (const wrong of ["192.0.2.1", "name.invalid", "2001:db8::1", "fe80::1"]) {
    it(`${wrong} is a fault of HOST, not of PORT`, async () => {
      const address = { host: wrong, port: 0 };
      const message = `Cannot listen on ${wrong} port 0 (HOST, need an address of this machine)`;
      await assert.rejects(holdPort(address), { message });
      await assert.rejects(listenHttp({ ...address, ...usual }), { message });
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

describe("listenHttp()", () => {
  /** More than the system keeps for a caller that does not read. */
  const largeBytes = 64 * 1024 * 1024;
  const usual = { keepAliveTimeoutMs: 60_000, addressConnectionsMax: 2, trustedProxies: [] };

  async function start(
    changes: Partial<Parameters<typeof listenHttp>[0]>,
    limits?: Partial<Parameters<typeof listenHttp>[1]>,
  ) {
    const { server, port } = await listenHttp({ host, port: 0, ...usual, ...changes }, limits);
    server.on("request", (request, response) => {
      response.end(request.url === "/" ? "answer" : Buffer.alloc(largeBytes));
    });
    const sockets: Socket[] = [];
    return {
      server,
      /** Connects from an address of this machine. */
      async open(localAddress = host): Promise<Socket> {
        const socket = connect({ host, port, localAddress }).on("error", () => {});
        sockets.push(socket);
        await once(socket, "connect");
        return socket;
      },
      async [Symbol.asyncDispose]() {
        for (const socket of sockets) socket.destroy();
        await server.closeGracefully(0);
      },
    };
  }

  /** What is answered, or nothing if the connection is closed without an answer. */
  async function ask(socket: Socket): Promise<string> {
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    return await text(socket).catch(() => "");
  }

  it("closes connections of one address beyond its limit, and no others", async () => {
    await using service = await start({});
    const first = await service.open();
    await service.open();
    assert.equal(await ask(await service.open()), "");
    assert.match(await ask(await service.open("127.0.0.2")), /answer$/);
    assert.match(await ask(first), /answer$/);
    while ((await ask(await service.open())) === "") await sleep(5);
  });

  it("does not limit the connections of proxies", async () => {
    await using service = await start({ trustedProxies: ["127.0.0.2"] });
    for (const _ of [1, 2, 3]) await service.open("127.0.0.2");
    assert.match(await ask(await service.open("127.0.0.2")), /answer$/);
  });

  it("closes connections beyond the limit of all addresses together", async () => {
    await using service = await start({ trustedProxies: ["127.0.0.3"] }, { connectionsMax: 2 });
    await service.open();
    await service.open("127.0.0.2");
    assert.equal(await ask(await service.open("127.0.0.3")), "");
  });

  it("closes a connection that sends nothing", async () => {
    await using service = await start({}, { requestTimeoutMs: 40 });
    await text(await service.open());
  });

  it("closes a connection whose headers take too long, even if each byte comes soon", async () => {
    await using service = await start({}, { requestTimeoutMs: 100, idleTimeoutMs: 60_000 });
    const socket = await service.open();
    let answer = "";
    socket.on("data", (data) => (answer += data));
    for (socket.write("GET / HTTP/1.1\r\nHost: "); !socket.closed; await sleep(10)) {
      socket.write("a");
    }
    assert.match(answer, /^HTTP\/1\.1 408 /);
  });

  it("closes the connection of a caller that does not read its answer", async () => {
    await using service = await start({}, { idleTimeoutMs: 300 });
    const answered = once(service.server, "request");
    const socket = await service.open();
    socket.pause().write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    const [, response] = await answered;
    await once(response, "close");
    assert.equal(response.writableFinished, false);
  });
});
