/** For tests of the client of stores that need no store. */
import { after, before } from "node:test";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";

/** Nothing listens there. */
export const nowhere = "http://127.0.0.1:1";

/** Requests are signed with them, and nobody looks at the signature. */
export function useCredentials(): void {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" });
}

/** A proxy for the tests of a suite. There is no store behind it: the tests say what it answers. */
export function useFaultyProxy(): Omit<FaultyProxy, "stop"> {
  let proxy: FaultyProxy;
  before(async () => {
    useCredentials();
    proxy = await startFaultyProxy(nowhere);
  });
  after(() => proxy.stop());
  return {
    get endpoint() {
      return proxy.endpoint;
    },
    get requests() {
      return proxy.requests;
    },
    damage: (fault) => proxy.damage(fault),
  };
}
