/** For tests: keys of an S3 bucket. */
import fc from "fast-check";
import { compareKeys } from "../keys.ts";

/** Keys of every kind that S3 allows, in the order of their bytes. */
export function allowedKeys(): string[] {
  const special = [
    "/lead",
    "a//b",
    "a/./b",
    "a/../b",
    "./",
    "../x",
    "a b+c%2E%",
    "c\u0001\n\r\t\u007f",
  ];
  const texts = [
    "é",
    "e\u0301",
    "😀",
    "\uffff",
    "\ufffd",
    "q?&=#<>\"'",
    "tr/",
    "//",
    "x".repeat(1024),
  ];
  const numbers = Array.from(
    { length: 120 },
    (_, index) => `photos/2026/${index % 7}/${index}.jpg`,
  );
  const character = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
  const random = fc.sample(
    character.filter((key) => !key.includes("\0") && !/^\.{1,2}$/.test(key)),
    120,
  );
  return [...new Set([...special, ...texts, ...numbers, ...random])].sort(compareKeys);
}
