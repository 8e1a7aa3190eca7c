import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** On a port that the system chooses. */
export async function listen(server: Server & { closeAllConnections?: () => void }) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections?.();
      await once(server, "close");
    },
  };
}
