/** Compares JSON and says where it first differs: pages are too long to print whole. */
import assert from "node:assert/strict";

export function assertSameJson(actual: unknown, expected: unknown, context: string): void {
  const difference = firstDifference(actual, expected, "answer");
  if (difference) assert.fail(`${difference}\n${context}`);
}

function firstDifference(actual: unknown, expected: unknown, at: string): string | undefined {
  if (!isContainer(actual) || !isContainer(expected)) {
    if (Object.is(actual, expected)) return undefined;
    return `${at}: got ${brief(actual)}, need ${brief(expected)}`;
  }
  if (Array.isArray(actual) !== Array.isArray(expected)) {
    return `${at}: got ${brief(actual)}, need ${brief(expected)}`;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const place = Array.isArray(expected) ? `${at}[${key}]` : `${at}.${key}`;
    if (!Object.hasOwn(actual, key)) return `${place}: missing, need ${brief(expected[key])}`;
    if (!Object.hasOwn(expected, key)) return `${place}: got ${brief(actual[key])}, need none`;
    const inside = firstDifference(actual[key], expected[key], place);
    if (inside) return inside;
  }
  return undefined;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
