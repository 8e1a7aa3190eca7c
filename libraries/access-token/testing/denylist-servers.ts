/** Servers that share one denylist, each with its own validator. */
import pg from "pg";
import { staticKeySet } from "../src/key-set/key-set.ts";
import type { DenylistEvent, PostgresDenylistOptions } from "../src/postgres/denylist-options.ts";
import { type PostgresDenylist, postgresDenylist } from "../src/postgres/postgres-denylist.ts";
import { TokenRefusedError } from "../src/token-refused-error.ts";
import { createAccessTokenValidator } from "../src/validator.ts";
import type { DenylistDatabase } from "./denylist-database.ts";
import { audience, type Claims, issuer, nowSeconds, signingKey, signToken } from "./tokens.ts";

export interface DenylistServer extends AsyncDisposable {
  readonly denylist: PostgresDenylist;
  readonly events: readonly DenylistEvent[];
  /** `accepted`, or the reason of the refusal. */
  reasonFor(claims: Claims): Promise<string>;
  /** Resolves once the denylist has been read `count` times more from beginning to end. */
  reads(count: number): Promise<void>;
}

/** Shown by PostgreSQL as the name of the connections that follow the denylist. */
export const applicationName = "denylist-follower";

/** Starts one, which is ready when this resolves, or at once with `isWaitedFor: false`. */
export async function startDenylistServer(
  { databaseUrl }: Pick<DenylistDatabase, "databaseUrl">,
  {
    isWaitedFor = true,
    ...options
  }: Partial<PostgresDenylistOptions> & { isWaitedFor?: boolean } = {},
): Promise<DenylistServer> {
  const events: DenylistEvent[] = [];
  const changed = new Set<() => void>();
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: applicationName,
    query_timeout: 5000,
    max: 2,
  });
  pool.on("error", () => undefined);
  const denylist = postgresDenylist({
    pool,
    ...options,
    onEvent(event) {
      events.push(event);
      for (const look of changed) look();
    },
  });
  const validator = createAccessTokenValidator({
    issuer,
    audience,
    keySet: staticKeySet({ keys: [signingKey.jwk] }),
    now: () => nowSeconds * 1000,
    denylist,
  });
  if (isWaitedFor) await denylist.whenCurrent();
  const readCount = () => events.filter(({ type }) => type === "read").length;
  return {
    denylist,
    events,
    async reasonFor(claims) {
      const answer = await validator.validate(await signToken(claims)).catch((error) => error);
      if (answer instanceof TokenRefusedError) return answer.reason;
      if (answer instanceof Error) throw answer;
      return "accepted";
    },
    async reads(count) {
      // A read that is running may have begun too early.
      const enough = readCount() + count + 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => void (readCount() >= enough && resolve());
      changed.add(look);
      await promise;
      changed.delete(look);
    },
    async [Symbol.asyncDispose]() {
      await denylist.close();
      await pool.end();
    },
  };
}
