/** A denylist in PostgreSQL, which any number of servers follow. */

// By hand, or in transactions of your own
export { addDenylistEntry } from "./add-denylist-entry.ts";
// Of the driver
export type { PostgresClient, PostgresQueryable } from "./client.ts";
// Once, when the program starts
export { prepareDenylist } from "./prepare-denylist.ts";
