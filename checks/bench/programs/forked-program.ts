/** A program of the benchmark that runs in a process of its own and obeys orders. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Reply } from "./obey-orders.ts";

export class ForkedProgram<Order extends object, Report> implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  /** @param file the program's, which calls `obeyOrders`. */
  constructor(file: URL) {
    // Ctrl-C in a terminal is for the parent alone, which ends first and in order.
    this.#child = fork(file, { serialization: "advanced", detached: true });
    this.#ended = once(this.#child, "exit");
  }

  get processId(): number {
    return this.#child.pid ?? 0;
  }

  /** One order at a time. Throws what went wrong there. */
  async obey(order: Order): Promise<Report> {
    const answered = Promise.withResolvers<Reply<Report>>();
    const onExit = (code: number | null, signal: string | null) =>
      answered.reject(new Error(`Cannot go on: a program ended with ${code ?? signal}`));
    this.#child
      .once("message", answered.resolve)
      .once("exit", onExit)
      .once("error", answered.reject);
    this.#child.send(order);
    try {
      const reply = await answered.promise;
      if ("fault" in reply) throw new Error(reply.fault);
      return reply.report;
    } finally {
      this.#child
        .off("message", answered.resolve)
        .off("exit", onExit)
        .off("error", answered.reject);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}
