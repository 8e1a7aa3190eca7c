/**
 * The well-behaved tenant: calls at a fixed rate from a few connections. A latency counts from when
 * the call was due, so a call that waits behind a slow one shows how long it waited.
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
