/**
 * The well-behaved tenant: calls at a fixed rate over a few connections. A latency is measured from
 * when the call was due, so it contains the wait behind a slow call.
 */
import { Agent } from "node:http";
import { answerOf } from "./answer.ts";
import { type Caller, type CallerCommand, count, type Ends } from "./caller.ts";
import { startPaced } from "./pace.ts";

const perSecond = 200;
const connections = 16;

export function startSteady(command: CallerCommand): Caller {
  const { calls } = command;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ends: Ends = {};
  const latenciesMs: number[] = [];
  const pace = startPaced(perSecond, async (number, dueMs) => {
    const call = calls[number % calls.length]!;
    const { status, text } = await answerOf(command, call, { agent });
    latenciesMs.push(performance.now() - dueMs);
    count(ends, status === "200" && text !== call.answer ? "wrong" : status);
  });
  return {
    async stop() {
      await pace.stop();
      agent.destroy();
      return { ends, latenciesMs };
    },
  };
}
