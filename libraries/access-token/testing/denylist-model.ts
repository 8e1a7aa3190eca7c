/**
 * A model of transactions that store denylist entries: several connections begin, store, take back
 * to savepoints, commit and roll back in any order, and the model knows what is committed.
 */
import type pg from "pg";
import { addDenylistEntry } from "../src/postgres/denylist-table.ts";

/** What happens next on one of the connections. Steps that make no sense there do nothing. */
export interface Step {
  readonly connection: number;
  readonly action: "begin" | "add" | "savepoint" | "take back" | "commit" | "roll back";
}

interface Transaction {
  readonly stored: string[];
  /** How many were stored when each savepoint was set. */
  readonly savepoints: number[];
}

export class DenylistModel {
  readonly #clients: readonly pg.PoolClient[];
  readonly #open: (Transaction | undefined)[];
  readonly #committed = new Set<string>();
  #values = 0;

  constructor(clients: readonly pg.PoolClient[]) {
    this.#clients = clients;
    this.#open = clients.map(() => undefined);
  }

  /** The values of the entries that are in force. */
  get committed(): ReadonlySet<string> {
    return this.#committed;
  }

  /** Every value that was ever stored is `v` with a number under this. */
  get values(): number {
    return this.#values;
  }

  async take({ connection, action }: Step): Promise<void> {
    const client = this.#clients[connection]!;
    const transaction = this.#open[connection];
    if (action === "add") return await this.#add(client, transaction);
    if (action === "begin") {
      if (transaction !== undefined) return;
      await client.query("begin");
      this.#open[connection] = { stored: [], savepoints: [] };
      return;
    }
    if (transaction === undefined) return;
    if (action === "savepoint" || action === "take back") {
      await this.#useSavepoint(client, transaction, action);
      return;
    }
    await client.query(action === "commit" ? "commit" : "rollback");
    this.#open[connection] = undefined;
    if (action === "commit") for (const value of transaction.stored) this.#committed.add(value);
  }

  async endAll(): Promise<void> {
    for (const connection of this.#clients.keys())
      await this.take({ connection, action: "commit" });
  }

  async #add(client: pg.PoolClient, transaction: Transaction | undefined): Promise<void> {
    const value = `v${this.#values++}`;
    await addDenylistEntry(client, { kind: "jti", value });
    if (transaction === undefined) this.#committed.add(value);
    else transaction.stored.push(value);
  }

  async #useSavepoint(
    client: pg.PoolClient,
    { stored, savepoints }: Transaction,
    action: "savepoint" | "take back",
  ): Promise<void> {
    if (action === "savepoint") {
      await client.query(`savepoint s${savepoints.length}`);
      savepoints.push(stored.length);
      return;
    }
    const length = savepoints.pop();
    if (length === undefined) return;
    await client.query(`rollback to s${savepoints.length}`);
    stored.splice(length);
  }
}
