/** The scenarios of the authorisation service: which world, which load, which faults. */
import { setTimeout } from "node:timers/promises";
import { atConstantRate } from "../../testing/load.ts";
import { CallLog } from "../call-log.ts";
import { networkFaults } from "../network-faults.ts";
import type { Running, StartOptions } from "../scenario.ts";
import { getTokens, outcomeOf, requestToken, signIn } from "./calls.ts";
import { crowds } from "./crowds.ts";
import { useService } from "./page-user.ts";
import { startWorld, type World } from "./world.ts";

const peopleCount = 20;
/** Every refusal that says that one may try again. */
const refusal = /^.*: (?!wrong|broken)/;

export async function startNetworkFaults(_: StartOptions): Promise<Running> {
  const world = await startWorld(peopleCount, { ADDRESS_LOGINS_PER_MINUTE_MAX: "0" });
  const log = new CallLog();
  return {
    ...commonOf(world, log),
    faults: networkFaults(world.relay, refusal),
    async startLoad() {
      const stopping = new AbortController();
      const users = world.people.map((person) => useService(world, person, log, stopping.signal));
      const refreshed = () => log.records.filter(({ kind }) => kind === "refresh").length;
      while (refreshed() < peopleCount) await setTimeout(50);
      // The first calls of a process are slow.
      log.records = [];
      return async () => {
        stopping.abort();
        await Promise.all(users);
      };
    },
  };
}

const [signInsPerSecond, tokensPerSecond] = [2, 50];
const warmUpMs = 5000;

export async function startCrowds({ pace }: StartOptions): Promise<Running> {
  // The people are at another address than the crowds, and all at one.
  const world = await startWorld(peopleCount, {
    ADDRESS_LOGINS_PER_MINUTE_MAX: "0",
    SIGN_IN_PAGE_S: "60",
    TRUSTED_PROXIES: "127.0.0.1",
  });
  const log = new CallLog();
  return {
    ...commonOf(world, log),
    faults: crowds(world, pace),
    async startLoad() {
      const program = await world.addProgram();
      const load = [
        atConstantRate(signInsPerSecond * pace, (number) =>
          log.record("sign-in", async () => {
            const form = await signIn(world, world.people[number % peopleCount]!);
            return outcomeOf("got" in form ? await getTokens(world, form.got) : form);
          }),
        ),
        atConstantRate(tokensPerSecond * pace, () =>
          log.record("token", async () => {
            const { status, text } = await requestToken(world, program);
            return status === 200 ? "right" : `wrong: ${status} ${text}`;
          }),
        ),
      ];
      await setTimeout(warmUpMs);
      log.records = [];
      return async () => {
        await Promise.all(load.map((each) => each.stop()));
      };
    },
  };
}

function commonOf(world: World, log: CallLog): Pick<Running, "log" | "serviceLog" | "close"> {
  return { log, serviceLog: world.log, close: world.close };
}
