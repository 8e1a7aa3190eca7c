/** How the network to the database, and PostgreSQL itself, fail. */
import { setTimeout } from "node:timers/promises";
import type { DatabaseRelay, ServerFaults } from "@stowage/process/testing";
import type { Fault } from "./episodes.ts";

/** @param mayGet of each fault, as {@link Fault} says. */
export function networkFaults(relay: DatabaseRelay, mayGet: RegExp): readonly Fault[] {
  const lasting = (name: string, begin: (durationMs: number) => unknown): Fault => ({
    name,
    mayGet,
    async run(durationMs) {
      const startMs = performance.now();
      await begin(durationMs);
      await setTimeout(Math.max(0, durationMs - (performance.now() - startMs)));
      await relay.mend();
      return [];
    },
  });
  return [
    lasting("connections to PostgreSQL are refused", () => relay.cut()),
    lasting("connections to PostgreSQL are reset again and again", async (durationMs) => {
      for (let leftMs = durationMs; leftMs > 0; leftMs -= 200) {
        relay.reset();
        await setTimeout(200);
      }
    }),
    {
      ...lasting("connections to PostgreSQL are reset once", () => relay.reset()),
      healsAtOnce: true,
    },
    lasting("the network to PostgreSQL delivers nothing", () => {
      relay.stall();
      relay.freeze();
    }),
    lasting("a proxy to PostgreSQL swallows everything, and then closes", async (durationMs) => {
      relay.stall();
      await setTimeout(durationMs);
      await relay.cut();
    }),
    lasting("connections to PostgreSQL are frozen, but not new ones", () => relay.freeze()),
    lasting("the network to PostgreSQL is slow", () => relay.delay(10 + Math.random() * 140)),
  ];
}

/** @param restart after a crash; nothing where the service does that by itself. */
export function serverFaults(
  server: ServerFaults,
  restart: (() => Promise<void>) | undefined,
  mayGet: RegExp,
): readonly Fault[] {
  return [
    {
      name: "kill -9 of PostgreSQL",
      mayGet,
      async run(durationMs) {
        await server.crash();
        if (restart) await setTimeout(durationMs);
        await restart?.();
        return [];
      },
    },
    {
      name: "SIGSTOP of PostgreSQL",
      mayGet,
      async run(durationMs) {
        await server.pause();
        await setTimeout(durationMs).finally(() => server.resume());
        return [];
      },
    },
  ];
}
