import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { it } from "node:test";
import { Registry } from "@prometheus-io/client";
import { listenHttp } from "../http/listening.ts";
import type { Logger } from "../logger.ts";
import { watchRefusedConnections } from "./refused-connections.ts";

const host = "127.0.0.1";

it("refused connections are counted by their limit, and one of them is logged", async () => {
  const registry = new Registry();
  const logged: object[] = [];
  const logger = { warn: (values: object) => logged.push(values) } as unknown as Logger;
  const onRefused = watchRefusedConnections(registry, logger);
  const usual = { host, port: 0, keepAliveTimeoutMs: 60_000, trustedProxies: [] };
  const limits = { addressConnectionsMax: 1, connectionsMax: 2 };
  const { server, port } = await listenHttp({ ...usual, ...limits, onRefused }, limits);
  const open = async (localAddress: string) => {
    const socket = connect({ host, port, localAddress }).on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  const isClosed = async (localAddress: string) => {
    const socket = await open(localAddress);
    socket.resume();
    await once(socket, "close");
  };
  const held = [await open("127.0.0.2")];
  await isClosed("127.0.0.2");
  await isClosed("127.0.0.2");
  held.push(await open("127.0.0.3"));
  await isClosed("127.0.0.4");
  const refused = await registry.getSingleMetricAsString("stowage_connections_refused_total");
  assert.match(refused, /\{limit="address"\} 2\n/);
  assert.match(refused, /\{limit="all"\} 1$/);
  assert.deepEqual(logged, [{ limit: "address", address: "127.0.0.2" }]);
  for (const socket of held) socket.destroy();
  await server.closeGracefully(0);
});
