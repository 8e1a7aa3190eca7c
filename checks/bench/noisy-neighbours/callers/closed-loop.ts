/** Connections that each send the next call as soon as they have an answer, whatever that is. */
import { Agent } from "node:http";
import { answerOf } from "./answer.ts";
import { type Caller, type CallerCommand, count, type Ends } from "./caller.ts";

const connections = 64;

export function startClosedLoop(command: CallerCommand): Caller {
  const { calls } = command;
  const agent = new Agent({ keepAlive: true });
  const stopping = new AbortController();
  const ends: Ends = {};
  let sent = 0;
  const callOn = async () => {
    while (!stopping.signal.aborted) {
      const call = calls[sent++ % calls.length]!;
      const { status } = await answerOf(command, call, { agent, signal: stopping.signal });
      if (!stopping.signal.aborted) count(ends, status);
    }
  };
  const loops = Array.from({ length: connections }, callOn);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      agent.destroy();
      return { ends, latenciesMs: [] };
    },
  };
}
