/** Writes the times of PostgreSQL's binary format as RFC 3339 in UTC, as answers have them. */
import type { JsonOutput } from "./json-output.ts";

const microsPerSecond = 1_000_000;
const microsPerDay = 86_400 * microsPerSecond;
const bigMicrosPerDay = BigInt(microsPerDay);
/** Beyond, a number does not have every microsecond: the years before 1715 and after 2285. */
const exactHighMax = 2 ** 20;

const hyphen = 0x2d;
const colon = 0x3a;
const point = 0x2e;
const dateEnd = 0x54;
const utc = 0x5a;

/**
 * Writes a `timestamptz` of the years 1 to 9999, with 0, 3 or 6 fraction digits.
 *
 * @param from has the eight bytes: microseconds since 2000.
 */
export function addTime(output: JsonOutput, from: Buffer, start: number): void {
  const high = from.readInt32BE(start);
  if (high >= -exactHighMax && high < exactHighMax) {
    const micros = high * 2 ** 32 + from.readUInt32BE(start + 4);
    const day = Math.floor(micros / microsPerDay);
    addDate(output, day);
    addClock(output, micros - day * microsPerDay);
  } else {
    const micros = from.readBigInt64BE(start);
    const ofDay = ((micros % bigMicrosPerDay) + bigMicrosPerDay) % bigMicrosPerDay;
    addDate(output, Number((micros - ofDay) / bigMicrosPerDay));
    addClock(output, Number(ofDay));
  }
}

/** From 0000-03-01, with which the cycle of 400 years begins, to 2000-01-01. */
const daysBefore2000 = 730_425;
const daysPerCycle = 146_097;

/**
 * Adds a date of the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date
 * Algorithms", `civil_from_days`). Years begin in March here, so that leap days are last.
 */
function addDate(output: JsonOutput, daysSince2000: number): void {
  const days = daysSince2000 + daysBefore2000;
  const cycle = Math.floor(days / daysPerCycle);
  const ofCycle = days - cycle * daysPerCycle;
  const leapDays = whole(ofCycle / 1460) - whole(ofCycle / 36_524) + whole(ofCycle / 146_096);
  const yearOfCycle = whole((ofCycle - leapDays) / 365);
  const ofYear = ofCycle - (365 * yearOfCycle + (yearOfCycle >> 2) - whole(yearOfCycle / 100));
  const fromMarch = whole((5 * ofYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  output.addDigits(400 * cycle + yearOfCycle + (month <= 2 ? 1 : 0), 4);
  output.addByte(hyphen);
  output.addDigits(month, 2);
  output.addByte(hyphen);
  output.addDigits(ofYear - whole((153 * fromMarch + 2) / 5) + 1, 2);
  output.addByte(dateEnd);
}

function addClock(output: JsonOutput, microsOfDay: number): void {
  const secondOfDay = whole(microsOfDay / microsPerSecond);
  const minuteOfDay = whole(secondOfDay / 60);
  const hour = whole(minuteOfDay / 60);
  output.addDigits(hour, 2);
  output.addByte(colon);
  output.addDigits(minuteOfDay - 60 * hour, 2);
  output.addByte(colon);
  output.addDigits(secondOfDay - 60 * minuteOfDay, 2);
  addFraction(output, microsOfDay - secondOfDay * microsPerSecond);
  output.addByte(utc);
}

function addFraction(output: JsonOutput, micros: number): void {
  if (micros === 0) return;
  output.addByte(point);
  const isWholeMs = micros % 1000 === 0;
  output.addDigits(isWholeMs ? micros / 1000 : micros, isWholeMs ? 3 : 6);
}

/** The whole part of a number of at most 31 bits. */
function whole(value: number): number {
  return value | 0;
}
