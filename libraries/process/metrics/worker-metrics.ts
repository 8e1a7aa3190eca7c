/**
 * The metrics of workers, which their primary adds up.
 *
 * The library's registry for clusters fails when one worker does not answer, and forgets the
 * counters of a worker that was killed: the sums would fall, which Prometheus takes for a restart.
 * So the primary keeps the last answer of each worker. It counts for a worker that hangs, and the
 * counters of a worker that died stay in the sums.
 */
import cluster, { type Worker } from "node:cluster";
import { Registry } from "@prometheus-io/client";
import { errorText } from "../error-text.ts";
import type { Logger } from "../logger.ts";

/** The metrics of one process at one moment. */
type Snapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/**
 * In a worker: sends the metrics to the primary whenever it asks. If they cannot be read, for
 * example for lack of file handles, the worker continues, and counts as silent.
 */
export function answerPrimary(registry: Registry, logger: Logger): void {
  const answer = async (metricsRequest: number) => {
    const read: Answer = { metricsRequest, metrics: await registry.getMetricsAsJSON() };
    // The primary may have ended meanwhile.
    process.send?.(read, undefined, undefined, () => undefined);
  };
  process.on("message", ({ metricsRequest }: Partial<Request>) => {
    if (metricsRequest === undefined) return;
    answer(metricsRequest).catch((error) => {
      logger.error({ reason: errorText(error) }, "the metrics could not be read");
    });
  });
}

/** In the primary: the metrics of its workers. */
export class WorkerMetrics {
  readonly #answerTimeoutMs: number;
  /** The last answer of each running worker, by its ID. */
  readonly #answers = new Map<number, Snapshot>();
  /** Counters of workers that have ended. */
  readonly #ended: Snapshot[] = [];
  #requests = 0;
  #exits = 0;

  constructor({ answerTimeoutMs }: { answerTimeoutMs: number }) {
    this.#answerTimeoutMs = answerTimeoutMs;
    cluster.on("exit", ({ id }) => {
      this.#exits += 1;
      const answer = this.#answers.get(id) ?? [];
      this.#answers.delete(id);
      this.#ended.push(answer.filter(({ type }) => type === "counter" || type === "histogram"));
    });
  }

  /** Workers that have ended since the start. */
  get exits(): number {
    return this.#exits;
  }

  /** Asks all workers. `silent` of them did not answer in time; their last answers count. */
  async collect(): Promise<{ snapshots: Snapshot[]; answering: number; silent: number }> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected());
    const asked = await Promise.all(workers.map((worker) => worker && this.#ask(worker)));
    const answering = asked.filter(Boolean).length;
    const ended = Registry.aggregate(this.#ended.splice(0)).getMetricsAsJSON();
    this.#ended.push(await ended);
    const snapshots = [...this.#ended, ...this.#answers.values()];
    return { snapshots, answering, silent: workers.length - answering };
  }

  /** Whether the worker answered in time. */
  async #ask(worker: Worker): Promise<boolean> {
    const metricsRequest = this.#requests++;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onMessage = (message: Partial<Answer>) => {
      if (message.metricsRequest !== metricsRequest || message.metrics === undefined) return;
      this.#answers.set(worker.id, message.metrics);
      resolve(true);
    };
    const giveUp = () => resolve(false);
    const timer = setTimeout(giveUp, this.#answerTimeoutMs);
    worker.on("message", onMessage).once("exit", giveUp);
    worker.send({ metricsRequest } satisfies Request, () => undefined);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off("message", onMessage).off("exit", giveUp);
    }
  }
}

interface Request {
  readonly metricsRequest: number;
}

interface Answer extends Request {
  readonly metrics: Snapshot;
}
