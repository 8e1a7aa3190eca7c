import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * The port that workers are to share: the given one, or a free one for port 0. Rejects, as
 * listening does, when somebody has it; workers would otherwise share it with another program of
 * the same user without notice.
 */
export async function findPort({ host, port }: { host: string; port: number }): Promise<number> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, "listening");
  const found = (server.address() as AddressInfo).port;
  server.close();
  await once(server, "close");
  return found;
}
