import { once } from "node:events";
import { createServer, type Server } from "node:net";

const portSettings = [
  { service: "uploads", setting: "PORT", fallback: "8080" },
  { service: "authorisation", setting: "AUTH_PORT", fallback: "8081" },
] as const;

/**
 * Makes sure that the ports can be had, before anything is started. Settings must be right.
 *
 * @throws Error naming the port and its setting.
 */
export async function requireFreePorts(environment: NodeJS.ProcessEnv): Promise<void> {
  const host = environment.HOST || "127.0.0.1";
  const held: Server[] = [];
  try {
    // Both at once: they may be the same.
    for (const { service, setting, fallback } of portSettings) {
      const port = Number(environment[setting] || fallback);
      held.push(await hold(host, port, `the ${service} service`, setting));
    }
  } finally {
    await Promise.all(held.map((server) => once(server.close(), "close")));
  }
}

async function hold(host: string, port: number, what: string, setting: string): Promise<Server> {
  const server = createServer();
  try {
    await once(server.listen({ host, port }), "listening");
    return server;
  } catch (error) {
    const act = `Cannot start ${what} on ${host} port ${port}`;
    const advice = `set ${setting} to another port, or to 0 for any that is free`;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw new Error(`${act}: the port is in use; ${advice}`);
    if (code === "EACCES") throw new Error(`${act}: that takes more rights; ${advice}`);
    throw new Error(act, { cause: error });
  }
}
