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
  /** Its index in the heap of waiting flows; -1 if it does not wait. */
  heapIndex: number;
  /** When it is to be served, in the virtual time of `FairScheduler`. */
  finishTag: number;
  /** Its number among all that joined. Decides between equal finish tags. */
  joinedAs: number;
}

export function newFlow(weight: number): Flow {
  return { weight, held: 0, waiting: 0, heapIndex: -1, finishTag: 0, joinedAs: 0 };
}

/** The flows that wait, in a binary heap: no flow is before its parent. */
export class FairScheduler<F extends Flow> {
  readonly #heap: F[] = [];
  /** The latest finish tag that was served. It rises by 1 with each round of equal flows. */
  #virtualTime = 0;
  #joined = 0;

  /** The flows that wait, in no order. */
  get all(): readonly F[] {
    return this.#heap;
  }

  /** The flow to serve. Undefined if none waits. */
  get first(): F | undefined {
    return this.#heap[0];
  }

  /** Adds a flow, which waits until `leave`. */
  join(flow: F): void {
    flow.finishTag = this.#virtualTime + 1 / flow.weight;
    flow.joinedAs = ++this.#joined;
    this.#set(this.#heap.length, flow);
    this.update(flow);
  }

  /** Removes a flow that waits. */
  leave(flow: F): void {
    const last = this.#heap.pop();
    if (last === undefined || last === flow) {
      flow.heapIndex = -1;
      return;
    }
    this.#set(flow.heapIndex, last);
    flow.heapIndex = -1;
    this.update(last);
  }

  /** Records that a waiting flow was served. */
  served(flow: F): void {
    this.#virtualTime = Math.max(this.#virtualTime, flow.finishTag);
    this.leave(flow);
    if (flow.waiting > 0) this.join(flow);
  }

  /** Restores the order of the heap after a flow got or released a slot. */
  update(flow: F): void {
    if (flow.heapIndex < 0) return;
    this.#rise(flow);
    this.#sink(flow);
  }

  #rise(flow: F): void {
    for (;;) {
      const parent = this.#heap[(flow.heapIndex - 1) >> 1];
      if (parent === undefined || !isBefore(flow, parent)) return;
      this.#swap(flow, parent);
    }
  }

  #sink(flow: F): void {
    for (;;) {
      const left = this.#heap[2 * flow.heapIndex + 1];
      const right = this.#heap[2 * flow.heapIndex + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, flow)) return;
      this.#swap(flow, child);
    }
  }

  #swap(one: F, other: F): void {
    const { heapIndex } = one;
    this.#set(other.heapIndex, one);
    this.#set(heapIndex, other);
  }

  #set(heapIndex: number, flow: F): void {
    this.#heap[heapIndex] = flow;
    flow.heapIndex = heapIndex;
  }
}

/** How many slots a flow holds in proportion to its weight. */
export function shareOf({ held, weight }: Flow): number {
  return held / weight;
}

function isBefore(one: Flow, other: Flow): boolean {
  return (
    (shareOf(one) - shareOf(other) ||
      one.finishTag - other.finishTag ||
      one.joinedAs - other.joinedAs) < 0
  );
}
