/** A program of a benchmark that runs in a process of its own and carries out commands. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { errorText } from "@stowage/process";

type Reply<Report> = { readonly report: Report } | { readonly error: string };

/**
 * V8 collects garbage with the help of other threads, and stops until each has had its turn: beside
 * busy processors up to 20 ms, which would count as time of what is measured.
 */
const measuringArguments = ["--single-threaded-gc"];

export class WorkerProcess<Command extends object, Report> implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  /** @param file of a program that calls `runWorker`. */
  constructor(file: URL) {
    // Ctrl-C in a terminal goes to the parent alone, which ends the worker.
    this.#child = fork(file, {
      serialization: "advanced",
      detached: true,
      execArgv: measuringArguments,
    });
    this.#ended = once(this.#child, "exit");
  }

  /** One command at a time. Throws what the worker threw. */
  async run(command: Command): Promise<Report> {
    const answered = Promise.withResolvers<Reply<Report>>();
    const onExit = (code: number | null, signal: string | null) =>
      answered.reject(new Error(`Cannot go on: a worker ended with ${code ?? signal}`));
    this.#child.once("message", answered.resolve).once("exit", onExit);
    this.#child.send(command);
    try {
      const reply = await answered.promise;
      if ("error" in reply) throw new Error(reply.error);
      return reply.report;
    } finally {
      this.#child.off("message", answered.resolve).off("exit", onExit);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}

/** In the worker: carries out every command, until the parent ends. */
export function runWorker<Command, Report>(run: (command: Command) => Promise<Report>): void {
  const reply = (content: Reply<Report>) => void process.send?.(content);
  process.on("message", (command: Command) => {
    run(command).then(
      (report) => reply({ report }),
      (error) => reply({ error: errorText(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}
