/**
 * What this package needs of a PostgreSQL driver. `pg` has it; the package itself depends on none.
 */

/** What answers statements: a `Pool`, a `Client` or a `PoolClient` of `pg`. */
export interface PostgresQueryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** One connection that has not been opened yet: a new `Client` of `pg`. */
export interface PostgresClient extends PostgresQueryable {
  connect(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "notification" | "end", listener: () => void): unknown;
  end(): Promise<void>;
  /** With it, a connection whose other end does not answer is cut at once. */
  readonly connection?: { readonly stream: { destroy(): unknown } };
}
