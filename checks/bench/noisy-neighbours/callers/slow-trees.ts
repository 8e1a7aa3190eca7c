/** Sixteen readers of whole trees. Each reads slowly, but fast enough for the service. */
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { callHeaders } from "../../../testing/call-headers.ts";
import { type Call, type Caller, type CallerCommand, count, type Ends } from "./caller.ts";

const readers = 16;
/** 64 KiB/s. */
const readBytes = 16 * 1024;
const readEveryMs = 250;
/** The time after which a refused reader asks again. */
const retryMs = 1000;

export async function startSlowTrees(command: CallerCommand): Promise<Caller> {
  const agent = new Agent({ keepAlive: true });
  const stopping = new AbortController();
  const { signal } = stopping;
  const ends: Ends = {};
  let streaming = 0;
  const readTree = async (call: Call) => {
    const response = await openTree(command, call, agent, signal);
    if (response.statusCode !== 200) {
      response.resume();
      count(ends, `${response.statusCode}`);
      await sleep(retryMs, undefined, { signal });
      return;
    }
    streaming += 1;
    try {
      await readSlowly(response, signal);
      count(ends, "complete");
    } catch {
      if (!signal.aborted) count(ends, "cut off");
    } finally {
      streaming -= 1;
    }
  };
  const readOn = async (_: unknown, index: number) => {
    const call = command.calls[index % command.calls.length]!;
    while (!signal.aborted) await readTree(call).catch(() => undefined);
  };
  const loops = Array.from({ length: readers }, readOn);
  return {
    async stop() {
      const streamingAtEnd = streaming;
      stopping.abort();
      await Promise.all(loops);
      agent.destroy();
      return { ends: { ...ends, streaming: streamingAtEnd }, latenciesMs: [] };
    },
  };
}

async function openTree(
  { port, localAddress }: CallerCommand,
  call: Call,
  agent: Agent,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options = { host: "127.0.0.1", port, localAddress, agent, signal };
  const sent = request({
    ...options,
    path: call.path,
    method: "POST",
    headers: callHeaders(call.token),
  });
  const responding = once(sent, "response") as Promise<[IncomingMessage]>;
  sent.end(call.body);
  return (await responding)[0];
}

/** Rejects if the tree breaks off. */
async function readSlowly(response: IncomingMessage, signal: AbortSignal): Promise<void> {
  let failure: Error | undefined;
  response.on("error", (error) => (failure = error));
  while (!response.readableEnded) {
    await sleep(readEveryMs, undefined, { signal });
    if (failure !== undefined) throw failure;
    // The last part of a tree is smaller than the size asked for.
    if (response.read(readBytes) === null && response.complete) response.read();
  }
}
