/** A denylist in PostgreSQL, which any number of servers follow. */

// By hand, or in transactions of your own
export { addDenylistEntry } from "./add-denylist-entry.ts";
// Of the driver
export type { PostgresClient, PostgresQueryable } from "./client.ts";
export type {
  DenylistBehind,
  DenylistCurrent,
  DenylistEvent,
  DenylistFailed,
  DenylistLoaded,
  DenylistRead,
} from "./denylist-event.ts";
// In each server
export type { PostgresDenylistOptions } from "./denylist-options.ts";
export { type PostgresDenylist, postgresDenylist } from "./postgres-denylist.ts";
// Once, when the program starts
export { prepareDenylist } from "./prepare-denylist.ts";
