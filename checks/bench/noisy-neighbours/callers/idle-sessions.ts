/** A thousand HTTP/2 sessions in which nothing is called. */
import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import type { Caller, Endpoint } from "./caller.ts";
import { connectHttp2 } from "./connect-http2.ts";

/** The default of ADDRESS_CONNECTIONS_MAX. */
const sessionCount = 1000;
/** Sessions opened at once. More may overflow the queue of the listening socket. */
const openingMax = 50;

export async function startIdleSessions(endpoint: Endpoint): Promise<Caller> {
  const sessions: ClientHttp2Session[] = [];
  for (let opened = 0; opened < sessionCount; opened += openingMax) {
    const opening = Array.from({ length: openingMax }, () => connectHttp2(endpoint));
    await Promise.all(opening.map((session) => once(session, "remoteSettings")));
    for (const session of opening) session.on("error", () => undefined);
    sessions.push(...opening);
  }
  return {
    async stop() {
      const open = sessions.filter(({ closed, destroyed }) => !closed && !destroyed).length;
      for (const session of sessions) session.destroy();
      return { ends: { open }, latenciesMs: [] };
    },
  };
}
