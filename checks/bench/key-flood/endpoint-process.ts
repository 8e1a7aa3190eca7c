/** The endpoint's process, as the benchmark sees it. */
import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import type { EndpointOrder, EndpointReport } from "./endpoint-messages.ts";

export class EndpointProcess {
  /** When fetches came, in milliseconds of the endpoint's own clock. */
  readonly fetchTimesMs: number[] = [];
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #news: EventEmitter;

  static async start(): Promise<EndpointProcess> {
    const child = fork(join(import.meta.dirname, "endpoint.ts"));
    const news = new EventEmitter();
    child.on("exit", (code) => news.emit("error", new Error(`the endpoint ended with ${code}`)));
    child.on("message", (report: EndpointReport) => {
      for (const [name, value] of Object.entries(report)) news.emit(name, value);
    });
    const [port] = await once(news, "listeningOnPort");
    return new EndpointProcess(child, news, `http://127.0.0.1:${port}`);
  }

  private constructor(child: ChildProcess, news: EventEmitter, address: string) {
    this.#child = child;
    this.#news = news;
    this.address = address;
    news.on("fetchedAtMs", (timeMs: number) => this.fetchTimesMs.push(timeMs));
  }

  /** When it resolves, the order is in force and every fetch before it is in the list. */
  async obey(order: EndpointOrder): Promise<void> {
    const obeyed = once(this.#news, "obeyed");
    this.#child.send(order);
    await obeyed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.removeAllListeners("exit");
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }
}
