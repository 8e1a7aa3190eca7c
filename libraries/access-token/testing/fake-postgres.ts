/** PostgreSQL clients whose other end does as it is told, for failures that cannot be had else. */
import { EventEmitter } from "node:events";
import type { PostgresClient } from "../src/postgres/connection.ts";
import { settled } from "./fake-clock.ts";

/** What the other end does with the next thing it is asked. */
type Behaviour = "answer" | "fail" | "hang";

export class FakePostgres {
  /** By the beginning of the statement; `connect` and `end` too. What is not named is answered. */
  readonly behaviour: Record<string, Behaviour> = {};
  /** Everything asked, in order. */
  readonly asked: string[] = [];
  /** Connections that have been begun and not ended. */
  readonly open = new Set<FakeClient>();
  openMax = 0;
  /** What the table holds. */
  rows: readonly unknown[] = [];

  readonly createClient = (): FakeClient => new FakeClient(this);

  async notify(): Promise<void> {
    for (const client of this.open) client.emit("notification");
    await settled();
  }

  async breakAll(message: string): Promise<void> {
    for (const client of this.open) client.emit("error", new Error(message));
    await settled();
  }
}

class FakeClient extends EventEmitter implements PostgresClient {
  readonly #server: FakePostgres;
  readonly connection = { stream: { destroy: () => this.#server.open.delete(this) } };

  constructor(server: FakePostgres) {
    super();
    this.#server = server;
  }

  connect(): Promise<unknown> {
    const { open } = this.#server;
    open.add(this);
    this.#server.openMax = Math.max(this.#server.openMax, open.size);
    return this.#answer("connect", undefined);
  }

  query(text: string): Promise<{ rows: unknown[] }> {
    const word = /\w+/.exec(text)?.[0] ?? "";
    return this.#answer(word, { rows: [{ ...page, rows: JSON.stringify(this.#server.rows) }] });
  }

  async end(): Promise<void> {
    await this.#answer("end", undefined);
    this.#server.open.delete(this);
  }

  #answer<T>(asked: string, answer: T): Promise<T> {
    this.#server.asked.push(asked);
    switch (this.#server.behaviour[asked] ?? "answer") {
      case "answer":
        return Promise.resolve(answer);
      case "fail":
        return Promise.reject(new Error(`${asked} failed`));
      case "hang":
        return new Promise(() => undefined);
    }
  }
}

const page = { isStandby: "false", source: "server table", snapshot: "9:9:" };
