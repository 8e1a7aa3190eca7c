/**
 * Decides which waiting flow is served next: the one that holds the fewest slots in proportion to
 * its weight. Flows that hold equally few are served in proportion to their weights (self-clocked
 * fair queueing), so a flow cannot get more by waiting with more calls or by calling again at once.
 */

/** Someone who holds slots and waits for more: a tenant, or a client of a tenant. */
export interface Flow {
  /** How many slots the flow may hold for each slot of a flow of weight 1. */
  readonly weight: number;
  /** How many slots it holds. */
  held: number;
  /** How many of its calls wait. */
  waiting: number;
  /** When it is to be served, in the virtual time of `FairScheduler`. */
  finishTag: number;
}

export function newFlow(weight: number): Flow {
  return { weight, held: 0, waiting: 0, finishTag: 0 };
}

/** The flows that wait. Looking at 1,000 tenants takes a few microseconds. */
export class FairScheduler<F extends Flow> {
  readonly #flows: F[] = [];
  /** The latest finish tag that was served. It rises by 1 with each round of equal flows. */
  #virtualTime = 0;

  /** The flows that wait, in the order in which they joined. */
  get all(): readonly F[] {
    return this.#flows;
  }

  /** The flow to serve: of equal ones, the one that joined first. Undefined if none waits. */
  get first(): F | undefined {
    let first: F | undefined;
    for (const flow of this.#flows) {
      if (first === undefined || isBefore(flow, first)) first = flow;
    }
    return first;
  }

  /** Adds a flow, which waits until `leave`. */
  join(flow: F): void {
    flow.finishTag = this.#virtualTime + 1 / flow.weight;
    this.#flows.push(flow);
  }

  /** Removes a flow that waits. */
  leave(flow: F): void {
    this.#flows.splice(this.#flows.indexOf(flow), 1);
  }

  /** Records that a waiting flow was served. */
  served(flow: F): void {
    this.#virtualTime = Math.max(this.#virtualTime, flow.finishTag);
    this.leave(flow);
    if (flow.waiting > 0) this.join(flow);
  }
}

/** How many slots a flow holds in proportion to its weight. */
function shareOf({ held, weight }: Flow): number {
  return held / weight;
}

function isBefore(one: Flow, other: Flow): boolean {
  return (shareOf(one) - shareOf(other) || one.finishTag - other.finishTag) < 0;
}
