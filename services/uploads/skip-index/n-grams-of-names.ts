/** Finds the n-grams of names: one, two and three code points from every place of `/name/`. */

/** The n-grams of a name. */
export function nGramsOfName(name: string): Set<string> {
  const nGrams = new Set<string>();
  forEachPlace(name, (longest) => {
    for (const nGram of prefixesOf(longest)) nGrams.add(nGram);
  });
  return nGrams;
}

/** Finds which n-grams of a list names have, and numbers them by their places in the list. */
export class NGramNumbers {
  readonly #numbers: ReadonlyMap<string, number>;
  /**
   * For the n-grams of one, two and three ASCII characters, the number at their packed characters,
   * plus one. They take 4 MiB.
   */
  readonly #ofAscii = [1, 2, 3].map((length) => new Uint16Array(2 ** (length * bitsOfAscii)));
  /** For the longest n-gram at a place of any other name, the numbers of the listed ones there. */
  readonly #numbersAt = new Map<string, readonly number[]>();

  /** @param nGrams fewer than 65,536. */
  constructor(nGrams: readonly string[]) {
    this.#numbers = new Map(nGrams.map((nGram, number) => [nGram, number]));
    for (const [nGram, number] of this.#numbers) {
      const numbers = this.#ofAscii[nGram.length - 1];
      if (nGram === "/" || numbers === undefined || !isAscii(nGram)) continue;
      numbers[packed(nGram)] = number + 1;
    }
  }

  /** The numbers of the listed n-grams of the name; of those that it has twice, twice. */
  in(name: string): readonly number[] {
    return isAscii(name) ? this.#inAscii(`/${name}/`) : this.#inAny(name);
  }

  #inAscii(marked: string): readonly number[] {
    const [ofOne, ofTwo, ofThree] = this.#ofAscii as [Uint16Array, Uint16Array, Uint16Array];
    const found: number[] = [];
    let last = 0;
    for (let at = 0; at < marked.length; at++) {
      last = ((last << bitsOfAscii) | marked.charCodeAt(at)) & (ofThree.length - 1);
      const one = ofOne[last & (ofOne.length - 1)];
      const two = at > 0 ? ofTwo[last & (ofTwo.length - 1)] : 0;
      const three = at > 1 ? ofThree[last] : 0;
      if (one) found.push(one - 1);
      if (two) found.push(two - 1);
      if (three) found.push(three - 1);
    }
    return found;
  }

  #inAny(name: string): readonly number[] {
    const found: number[] = [];
    forEachPlace(name, (longest) => {
      for (const number of this.#listedAt(longest)) found.push(number);
    });
    return found;
  }

  // Names have few different n-grams.
  #listedAt(longest: string): readonly number[] {
    const known = this.#numbersAt.get(longest);
    if (known !== undefined) return known;
    const listed = prefixesOf(longest).flatMap((nGram) => this.#numbers.get(nGram) ?? []);
    if (this.#numbersAt.size < rememberedMax) this.#numbersAt.set(longest, listed);
    return listed;
  }
}

const bitsOfAscii = 7;

/** More than the names of most languages have. */
const rememberedMax = 200_000;

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

function packed(ascii: string): number {
  let bits = 0;
  for (let at = 0; at < ascii.length; at++) bits = (bits << bitsOfAscii) | ascii.charCodeAt(at);
  return bits;
}

/** Visits the longest n-gram at each place: three code points, two at the end. */
function forEachPlace(name: string, visit: (longest: string) => void): void {
  const marked = `/${name}/`;
  // Without surrogates, every code point is one element of the string.
  const points = hasSurrogates(marked) ? [...marked] : undefined;
  const length = points?.length ?? marked.length;
  for (let at = 0; at < length - 1; at++) {
    visit(points?.slice(at, at + 3).join("") ?? marked.slice(at, at + 3));
  }
}

function hasSurrogates(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}

/** An n-gram and the shorter ones that it starts with, without the slash, which all names have. */
function prefixesOf(longest: string): string[] {
  const points = [...longest];
  const prefixes = points.map((_, index) => points.slice(0, index + 1).join(""));
  return prefixes.filter((nGram) => nGram !== "/");
}
