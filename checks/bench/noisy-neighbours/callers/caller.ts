/** Runs callers of the service in another process until they are told to stop. */
import { WorkerProcess } from "../../programs/worker-process.ts";

/** How many calls ended how. */
export type Ends = Record<string, number>;

export interface CallerReport {
  readonly ends: Ends;
  /** Of each call, where that is measured. */
  readonly latenciesMs: readonly number[];
}

export interface Caller {
  /** Ends all calls. */
  stop(): Promise<CallerReport>;
}

/** Where callers call, and from where. */
export interface Endpoint {
  /** On 127.0.0.1. */
  readonly port: number;
  /** The address that they call from: another loopback address for each tenant. */
  readonly localAddress: string;
}

export interface Call {
  readonly path: string;
  readonly token: string;
  /** In JSON. */
  readonly body: string;
  /** The right answer, where answers are compared. */
  readonly answer?: string;
}

type CallerKind = "steady" | "type-ahead" | "closed loop" | "slow trees" | "idle";

export interface CallerCommand extends Endpoint {
  readonly kind: CallerKind;
  /** Take turns. */
  readonly calls: readonly Call[];
}

export class CallerProcess implements AsyncDisposable {
  readonly #worker = new WorkerProcess<CallerCommand | { stop: true }, CallerReport | undefined>(
    new URL("caller-worker.ts", import.meta.url),
  );

  /** Resolves when the callers are at work. */
  async start(command: CallerCommand): Promise<Caller> {
    await this.#worker.run(command);
    return { stop: async () => (await this.#worker.run({ stop: true }))! };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#worker[Symbol.asyncDispose]();
  }
}

export function count(ends: Ends, end: string): void {
  ends[end] = (ends[end] ?? 0) + 1;
}
