/** The site of a client, for browsers: another origin than the service's. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A running site. The test disposes it. */
export interface ClientSite extends AsyncDisposable {
  /** Without a slash at its end. With the host localhost it is also another site. */
  url: string;
}

/** Starts a site. `handler` answers its requests. */
export async function startClientSite(handler: RequestListener): Promise<ClientSite> {
  const server = createServer(handler).listen(0);
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
