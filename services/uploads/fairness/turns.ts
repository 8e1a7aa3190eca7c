/**
 * Decides which waiting party is served next: the one that holds the fewest slots for its weight.
 * Parties that hold equally few are served in proportion to their weights (self-clocked fair
 * queueing), so a party cannot get more by waiting with more calls or by calling again at once.
 */

/** Someone who holds slots and waits for more: a tenant, or a client of a tenant. */
export interface Party {
  /** How many slots the party may hold for each slot of a party of weight 1. */
  readonly weight: number;
  /** How many slots it holds. */
  held: number;
  /** How many of its calls wait. */
  waiting: number;
  /** Its index in the heap of waiting parties; -1 if it does not wait. */
  place: number;
  /** When it is to be served, in the virtual time of `Turns`. */
  turn: number;
  /** Decides between equal turns. */
  order: number;
}

export function newParty(weight: number): Party {
  return { weight, held: 0, waiting: 0, place: -1, turn: 0, order: 0 };
}

/** The parties that wait, in a binary heap: no party is before its parent. */
export class Turns<P extends Party> {
  readonly #heap: P[] = [];
  /** The latest turn that was served. It rises by 1 with each round of equal parties. */
  #now = 0;
  #joined = 0;

  /** The parties that wait, in no order. */
  get all(): readonly P[] {
    return this.#heap;
  }

  /** The party to serve. Undefined if none waits. */
  get first(): P | undefined {
    return this.#heap[0];
  }

  /** Adds a party, which waits until `leave`. */
  join(party: P): void {
    party.turn = this.#now + 1 / party.weight;
    party.order = ++this.#joined;
    this.#set(this.#heap.length, party);
    this.update(party);
  }

  /** Removes a party that waits. */
  leave(party: P): void {
    const last = this.#heap.pop();
    if (last === undefined || last === party) {
      party.place = -1;
      return;
    }
    this.#set(party.place, last);
    party.place = -1;
    this.update(last);
  }

  /** Records that a waiting party was served. */
  served(party: P): void {
    this.#now = Math.max(this.#now, party.turn);
    this.leave(party);
    if (party.waiting > 0) this.join(party);
  }

  /** Restores the order of the heap after a party got or released a slot. */
  update(party: P): void {
    if (party.place < 0) return;
    this.#rise(party);
    this.#sink(party);
  }

  #rise(party: P): void {
    for (;;) {
      const parent = this.#heap[(party.place - 1) >> 1];
      if (parent === undefined || !isBefore(party, parent)) return;
      this.#swap(party, parent);
    }
  }

  #sink(party: P): void {
    for (;;) {
      const left = this.#heap[2 * party.place + 1];
      const right = this.#heap[2 * party.place + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, party)) return;
      this.#swap(party, child);
    }
  }

  #swap(one: P, other: P): void {
    const { place } = one;
    this.#set(other.place, one);
    this.#set(place, other);
  }

  #set(place: number, party: P): void {
    this.#heap[place] = party;
    party.place = place;
  }
}

function isBefore(one: Party, other: Party): boolean {
  return (
    (one.held / one.weight - other.held / other.weight ||
      one.turn - other.turn ||
      one.order - other.order) < 0
  );
}
