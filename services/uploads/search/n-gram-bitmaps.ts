/**
 * In which zones of each order the pieces of names stand. An order is cut into zones at fixed keys;
 * a zone that lacks a piece of a search holds nothing that the search finds.
 */

/** Zones of an order that are kept together, one bit each. */
export const zonesPerPart = 1024;

const bytesPerOrder = zonesPerPart / 8;

/** The bits of a piece in one part of the zones. */
export interface PieceBits {
  readonly piece: string;
  readonly part: number;
  /** Of every order, the first zone first. */
  readonly bits: readonly Uint8Array[];
}

export class PieceZones {
  readonly #pieces: readonly string[];
  readonly #numbers: ReadonlyMap<string, number>;
  /** Of each order the zones, with a bit for each piece: those of an upload lie close together. */
  readonly #zones: readonly Map<number, Uint8Array>[];
  /** The numbers of the pieces kept that begin at a place of a name, by the longest that does. */
  readonly #numbersAt = new Map<string, readonly number[]>();

  /** @param pieces those that are kept; of others nothing is known. */
  constructor(pieces: Iterable<string>, orders: number) {
    this.#pieces = [...pieces];
    this.#numbers = new Map(this.#pieces.map((piece, number) => [piece, number]));
    this.#zones = Array.from({ length: orders }, () => new Map());
  }

  /**
   * Adds an upload.
   *
   * @param zones its zone in each order.
   */
  add(names: readonly string[], zones: readonly number[]): void {
    const bits = this.#zones.map((ofOrder, order) => this.#bitsOf(ofOrder, zones[order] ?? 0));
    for (const name of names) {
      forEachPlace(name, (longest) => {
        for (const number of this.#keptAt(longest)) {
          for (const ofZone of bits) setBits(ofZone, number >> 3, 1 << (number & 7));
        }
      });
    }
  }

  /** All pieces that stand anywhere, in each part of the zones in which they do. */
  *entries(): Generator<PieceBits> {
    for (const [part, zones] of this.#parts()) {
      for (let first = 0; first < this.#pieces.length; first += 8) {
        const eight = bitsOfEight(zones, first >> 3, this.#zones.length);
        for (const [index, bits] of eight.entries()) {
          const piece = this.#pieces[first + index];
          if (bits !== undefined && piece !== undefined) yield { piece, part, bits };
        }
      }
    }
  }

  #parts(): ReadonlyMap<number, ZoneOfPart[]> {
    const zones = this.#zones.flatMap((ofOrder, order) =>
      Array.from(ofOrder, ([number, pieces]) => ({ order, number, pieces })),
    );
    return Map.groupBy(zones, ({ number }) => Math.floor(number / zonesPerPart));
  }

  #bitsOf(ofOrder: Map<number, Uint8Array>, zone: number): Uint8Array {
    const known = ofOrder.get(zone);
    if (known !== undefined) return known;
    const bits = new Uint8Array(Math.ceil(this.#pieces.length / 8));
    ofOrder.set(zone, bits);
    return bits;
  }

  // Names are made of few different pieces.
  #keptAt(longest: string): readonly number[] {
    const known = this.#numbersAt.get(longest);
    if (known !== undefined) return known;
    const kept = beginningsOf(longest).flatMap((piece) => this.#numbers.get(piece) ?? []);
    if (this.#numbersAt.size < rememberedMax) this.#numbersAt.set(longest, kept);
    return kept;
  }
}

/** More than names of most languages have. */
const rememberedMax = 200_000;

interface ZoneOfPart {
  readonly order: number;
  readonly number: number;
  /** One bit for each. */
  readonly pieces: Uint8Array;
}

/**
 * The bits of eight pieces in the zones of a part: of each that has any, for every order.
 *
 * @param place of the byte that has the eight.
 */
function bitsOfEight(zones: readonly ZoneOfPart[], place: number, orders: number) {
  const eight: (Uint8Array[] | undefined)[] = new Array(8).fill(undefined);
  for (const { order, number, pieces } of zones) {
    const byte = pieces[place] ?? 0;
    for (let index = 0; byte >> index !== 0; index++) {
      if (((byte >> index) & 1) === 0) continue;
      const bits =
        eight[index] ?? Array.from({ length: orders }, () => new Uint8Array(bytesPerOrder));
      eight[index] = bits;
      setBits(bits[order], (number % zonesPerPart) >> 3, 128 >> (number & 7));
    }
  }
  return eight;
}

function setBits(bytes: Uint8Array | undefined, place: number, bits: number): void {
  if (bytes !== undefined) bytes[place] = (bytes[place] ?? 0) | bits;
}

/** The pieces of a name: of one, two and three code points, from every place of `/name/`. */
export function piecesOf(name: string): Set<string> {
  const pieces = new Set<string>();
  forEachPlace(name, (longest) => {
    for (const piece of beginningsOf(longest)) pieces.add(piece);
  });
  return pieces;
}

/** The longest piece at each place: three code points, at the end two. */
function forEachPlace(name: string, visit: (longest: string) => void): void {
  const marked = `/${name}/`;
  // Without surrogates, code points are what strings are made of.
  const points = hasSurrogates(marked) ? [...marked] : undefined;
  const length = points?.length ?? marked.length;
  for (let at = 0; at < length - 1; at++) {
    visit(points?.slice(at, at + 3).join("") ?? marked.slice(at, at + 3));
  }
}

function hasSurrogates(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}

/** A piece and the shorter ones it begins with; a slash alone is in every name. */
function beginningsOf(longest: string): string[] {
  const points = [...longest];
  const beginnings = points.map((_, index) => points.slice(0, index + 1).join(""));
  return beginnings.filter((piece) => piece !== "/");
}
