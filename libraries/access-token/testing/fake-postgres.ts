/** Fake PostgreSQL clients, for failures that a real server cannot produce. */
import { EventEmitter } from "node:events";
import type { PostgresClient } from "../src/postgres/connection.ts";
import { settled } from "./fake-clock.ts";

/** How the fake server reacts to a request. */
type Behaviour = "answer" | "fail" | "hang";

export class FakePostgres {
  /** By the start of the statement, or `connect` or `end`. The default is `answer`. */
  readonly behaviour: Record<string, Behaviour> = {};
  /** All requests, in order. */
  readonly requests: string[] = [];
  /** Connections that were opened and not ended. */
  readonly open = new Set<FakeClient>();
  openMax = 0;
  /** The rows of the table. */
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

  #answer<T>(request: string, answer: T): Promise<T> {
    this.#server.requests.push(request);
    switch (this.#server.behaviour[request] ?? "answer") {
      case "answer":
        return Promise.resolve(answer);
      case "fail":
        return Promise.reject(new Error(`${request} failed`));
      case "hang":
        return new Promise(() => undefined);
    }
  }
}

const page = { isStandby: "false", source: "server table", snapshot: "9:9:" };
