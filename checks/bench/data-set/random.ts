/** Random numbers that a seed determines: the same on every machine and in every run. */

/** 32 bits from a counter, mixed as in "mulberry32": not for secrets, good for samples. */
export class Random {
  #counter: number;

  constructor(seed: number) {
    this.#counter = seed | 0;
  }

  /** From 0 up to, not including, 1. */
  fraction(): number {
    this.#counter = (this.#counter + 0x6d2b79f5) | 0;
    let bits = this.#counter;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<Element>(elements: readonly Element[]): Element {
    return elements[this.below(elements.length)]!;
  }

  /** The first elements far more often than the last, as with words of a language. */
  pickSkewed<Element>(elements: readonly Element[]): Element {
    return elements[Math.floor(this.fraction() ** 2.5 * elements.length)]!;
  }

  /**
   * Around 1, as often above as below, now and then far off: what file sizes and the like are
   * multiplied by.
   *
   * @param spread standard deviation of its natural logarithm.
   */
  factor(spread: number): number {
    // Box and Muller's way to a normal distribution; 1 - fraction() is never 0.
    const radius = Math.sqrt(-2 * Math.log(1 - this.fraction()));
    return Math.exp(spread * radius * Math.cos(2 * Math.PI * this.fraction()));
  }

  /** In UUID form, version 4. */
  uuid(): string {
    const word = () =>
      this.below(2 ** 32)
        .toString(16)
        .padStart(8, "0");
    const digits = `${word()}${word()}${word()}${word()}`;
    const variant = "89ab"[this.below(4)];
    return [
      digits.slice(0, 8),
      digits.slice(8, 12),
      `4${digits.slice(13, 16)}`,
      `${variant}${digits.slice(17, 20)}`,
      digits.slice(20),
    ].join("-");
  }
}

/**
 * Divides a whole number in proportion to weights, so that the parts add up to it exactly. Each
 * part is at most one off its proportion.
 */
export function sharesOf(total: number, weights: readonly number[]): number[] {
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0);
  let left = total;
  return weights.map((weight) => {
    const share = weightLeft > 0 ? Math.min(left, Math.round((left * weight) / weightLeft)) : 0;
    weightLeft -= weight;
    left -= share;
    return share;
  });
}
