/**
 * In which zones of each order the pieces of names stand. An order is cut into zones at fixed keys;
 * a zone that lacks a piece of a search holds nothing that the search finds.
 */

/** Zones of an order, at most: one bit each. */
export const zonesMax = 1024;

const bytesPerOrder = zonesMax / 8;

export class PieceZones {
  readonly #orders: number;
  /** Of each piece the bits of one order after the other; null where it stands nowhere so far. */
  readonly #bits: Map<string, Uint8Array | null>;

  /** @param pieces those that are kept; of others nothing is known. */
  constructor(pieces: Iterable<string>, orders: number) {
    this.#orders = orders;
    this.#bits = new Map(Array.from(pieces, (piece) => [piece, null]));
  }

  /**
   * Adds an upload.
   *
   * @param zones its zone in each order.
   */
  add(names: readonly string[], zones: readonly number[]): void {
    for (const name of names) {
      forEachPiece(name, (piece) => {
        const bits = this.#bitsOf(piece);
        if (bits === undefined) return;
        let start = 0;
        for (const zone of zones) {
          const place = start + (zone >> 3);
          bits[place] = (bits[place] ?? 0) | (128 >> (zone & 7));
          start += bytesPerOrder;
        }
      });
    }
  }

  /** The pieces that stand anywhere, each with the bits of every order, zone 0 first. */
  *entries(): Generator<readonly [piece: string, bits: readonly Uint8Array[]]> {
    for (const [piece, bits] of this.#bits) {
      if (bits === null) continue;
      const starts = Array.from({ length: this.#orders }, (_, order) => order * bytesPerOrder);
      yield [piece, starts.map((start) => bits.subarray(start, start + bytesPerOrder))];
    }
  }

  #bitsOf(piece: string): Uint8Array | undefined {
    const bits = this.#bits.get(piece);
    if (bits !== null) return bits;
    const none = new Uint8Array(this.#orders * bytesPerOrder);
    this.#bits.set(piece, none);
    return none;
  }
}

/** The pieces of a name. */
export function piecesOf(name: string): Set<string> {
  const pieces = new Set<string>();
  forEachPiece(name, (piece) => pieces.add(piece));
  return pieces;
}

// As schema/0015 takes them: three code points from every place of `/name/`, at the end two.
function forEachPiece(name: string, visit: (piece: string) => void): void {
  const marked = `/${name}/`;
  // Without surrogates, code points are what strings are made of.
  const points = /[\ud800-\udfff]/.test(marked) ? [...marked] : undefined;
  const length = points?.length ?? marked.length;
  for (let at = 0; at < length - 1; at++) {
    visit(points?.slice(at, at + 3).join("") ?? marked.slice(at, at + 3));
  }
}
