/** A denylist in PostgreSQL, shared by any number of servers. */

export type { DenylistEvent, PostgresDenylistOptions } from "./denylist-options.ts";
export { addDenylistEntry, type PostgresQueryable, prepareDenylist } from "./denylist-table.ts";
export { type PostgresDenylist, postgresDenylist } from "./postgres-denylist.ts";
