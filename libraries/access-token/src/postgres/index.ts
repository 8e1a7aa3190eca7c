/** A denylist in PostgreSQL, which any number of servers follow. */

// Of the driver
export type { PostgresClient, PostgresQueryable } from "./connection.ts";
// In each server
export type {
  DenylistBehind,
  DenylistCurrent,
  DenylistEvent,
  DenylistFailed,
  DenylistLoaded,
  DenylistRead,
  PostgresDenylistOptions,
} from "./denylist-options.ts";
// By hand, or in transactions of your own
// Once, when the program starts
export { addDenylistEntry, prepareDenylist } from "./denylist-table.ts";
export { type PostgresDenylist, postgresDenylist } from "./postgres-denylist.ts";
