/** In which form tokens come to whoever validates them. */
import { wholeNumber } from "../frame/figures.ts";

export interface Workload {
  readonly name: string;
  readonly tokens: readonly string[];
  /** The token at this place; they go round. */
  readonly take: (index: number) => string;
}

/** The least that can be asked: a string whose hash V8 has kept from the last time. */
export function oneToken(token: string): Workload {
  return { name: "one token, the same string", tokens: [token], take: () => token };
}

/** What a server sees: many callers, and each time bytes that become a new string. */
export function manyTokens(tokens: readonly string[]): Workload {
  const received = tokens.map((token) => Buffer.from(token, "latin1"));
  return {
    name: `${wholeNumber(tokens.length)} tokens, each a new string`,
    tokens,
    take: (index) => received[index % received.length]!.toString("latin1"),
  };
}
