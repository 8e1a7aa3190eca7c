/** A denylist in PostgreSQL, shared by any number of servers. */

export type { PostgresClient, PostgresQueryable } from "./connection.ts";
export type {
  DenylistBehind,
  DenylistCurrent,
  DenylistEvent,
  DenylistFailed,
  DenylistLoaded,
  DenylistRead,
  PostgresDenylistOptions,
} from "./denylist-options.ts";
export { addDenylistEntry, prepareDenylist } from "./denylist-table.ts";
export { type PostgresDenylist, postgresDenylist } from "./postgres-denylist.ts";
