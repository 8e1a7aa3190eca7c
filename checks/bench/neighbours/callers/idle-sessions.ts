/** A thousand HTTP/2 sessions in which nothing is called. */
import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import type { Caller, Endpoint } from "./caller.ts";
import { connectHttp2 } from "./connect-http2.ts";

/** As many as the service allows one address unless it is set otherwise. */
const sessionCount = 1000;
/** At the same time; more may be more than the queue of the listening socket holds. */
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
