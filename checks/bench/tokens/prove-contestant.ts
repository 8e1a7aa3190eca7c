import type { Call, Contestant } from "./contestants.ts";
import type { BadToken } from "./sample-tokens.ts";

/**
 * Rejects unless the contestant accepts a good token and refuses every bad one, also with the good
 * one in its cache. Figures of something that does not validate would be worth nothing.
 */
export async function proveContestant(
  contestant: Contestant,
  goodToken: string,
  badTokens: readonly BadToken[],
): Promise<void> {
  for (const { token: badToken, fault, signatureVerifies } of badTokens) {
    if (contestant.signatureOnly && signatureVerifies) continue;
    const tokens = [goodToken, badToken];
    const take = (index: number) => tokens[index]!;
    const call = await contestant.prepare({ name: "proof", tokens, take });
    await prove(contestant.name, call, fault);
  }
}

/** A good token, a bad one, and again: whichever came before must not matter. */
async function prove(name: string, call: Call, fault: string): Promise<void> {
  for (const index of [0, 0, 1, 1, 0]) {
    const isGood = index === 0;
    if ((await accepts(call, index)) === isGood) continue;
    const act = isGood ? "it refuses a good token" : `it accepts a token ${fault}`;
    throw new Error(`Cannot measure ${name}: ${act}`);
  }
}

async function accepts(call: Call, index: number): Promise<boolean> {
  try {
    await call(index);
    return true;
  } catch {
    return false;
  }
}
