/**
 * Signatures of uploads: 63 bits that say what an upload cannot be (Faloutsos and Christodoulakis,
 * "Signature Files", 1984). Each pair of adjacent characters of its names sets a bit, and each of
 * its tags two. A search has a signature of the same form. An upload that lacks one of its bits
 * does not match; one that has them all may match, so its row is checked.
 */
import { literalRuns } from "../model/n-grams.ts";
import type { NamePattern } from "../model/name-pattern.ts";
import { frequentPairs } from "./frequent-pairs.ts";

/**
 * How many bits each kind of text has. Uploads have few tags and few rare pairs: with bits of their
 * own, most of which are not set, searches for them find little else.
 */
const tagBits = 10;
const rareBits = 10;
const frequentBits = 42;
/** The bit of uploads that their integration hides. */
const hiddenBit = 1n << 62n;

/** @param names the filename and the slug, folded; one of them if they are equal. */
export function signatureOf(
  names: readonly string[],
  tags: readonly string[],
  isHidden: boolean,
): bigint {
  const bits = new Bits();
  for (const name of names) bits.addPairs(`/${name}/`);
  for (const tag of tags) bits.addTag(tag);
  return isHidden ? bits.value | hiddenBit : bits.value;
}

/** The bits of every upload whose name matches the pattern, if any, and that has all the tags. */
export function signatureOfSearch(
  name: NamePattern | undefined,
  tags: readonly string[] = [],
): bigint {
  const bits = new Bits();
  // Only folded names are in signatures.
  const runs = name === undefined || name.caseSensitive ? [] : literalRuns(name);
  for (const run of runs) bits.addPairs(run.join(""));
  for (const tag of tags) bits.addTag(tag);
  return bits.value;
}

/** In SQL: whether an upload has all bits of `:signature`. */
export const hasSignature = "u.signature & :signature::bigint = :signature::bigint";

/** In SQL: whether an upload is hidden. */
export const isHiddenBySignature = `u.signature >= ${hiddenBit}`;

class Bits {
  #low = 0;
  #high = 0;

  get value(): bigint {
    return (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0);
  }

  addPairs(text: string): void {
    let before = text.codePointAt(0) ?? 0;
    for (let at = before > 0xffff ? 2 : 1; at < text.length; at += before > 0xffff ? 2 : 1) {
      const next = text.codePointAt(at) as number;
      this.#set(bitOfPair(before, next));
      before = next;
    }
  }

  // Two bits, because a search for a tag has no others.
  addTag(tag: string): void {
    let hash = 0;
    for (let at = 0; at < tag.length; at++) hash = mixed(hash, tag.charCodeAt(at));
    this.#set(hash % tagBits);
    this.#set(mixed(hash, 0) % tagBits);
  }

  #set(bit: number): void {
    if (bit < 32) this.#low |= 1 << bit;
    else this.#high |= 1 << (bit - 32);
  }
}

function bitOfPair(one: number, other: number): number {
  if (one < asciiSize && other < asciiSize) return asciiBits[one * asciiSize + other] as number;
  return rareBit(one, other);
}

function rareBit(one: number, other: number): number {
  return tagBits + (mixed(one, other) % rareBits);
}

const asciiSize = 128;

/** The bit of each pair of ASCII characters. */
const asciiBits = Uint8Array.from({ length: asciiSize ** 2 }, (_, pair) => {
  const [one, other] = [Math.floor(pair / asciiSize), pair % asciiSize];
  const text = String.fromCharCode(one, other);
  const isRare = /[^a-z0-9 ._()/-]/.test(text) || /^[a-z0-9]{2}$/.test(text);
  if (isRare && !frequentPairs.has(text)) return rareBit(one, other);
  return tagBits + rareBits + (mixed(one, other) % frequentBits);
});

// Multiplications and shifts, so that each bit of the result depends on each of the arguments.
function mixed(one: number, other: number): number {
  let bits = Math.imul(one, 0x85ebca6b) ^ other;
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 13), 0x297a2d39);
  return (bits ^ (bits >>> 16)) >>> 0;
}
