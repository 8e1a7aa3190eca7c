/**
 * Base64url as RFC 7515 section 2 has it, and in one spelling only: each of these is read by some
 * decoder as the same bytes, so that one signature would stand for many texts.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Attack, itRefuses } from "../../testing/attacks.ts";
import { claims, forge, header, validator } from "../../testing/tokens.ts";

/** White space makes the JSON end so that the last character of its part has unused bits. */
function padded(value: object): string {
  const text = JSON.stringify(value);
  return text + " ".repeat((3 - (text.length % 3) + 1) % 3);
}

const good = forge({ header: padded(header), payload: padded(claims) });
const parts = good.split(".") as [string, string, string];
const names = ["header", "payload", "signature"] as const;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The last character holds bits that no byte uses: this many of its values are the same bytes. */
function withUnusedBits(part: string, bits: number): string {
  return part.slice(0, -1) + alphabet[alphabet.indexOf(part.at(-1)!) | bits];
}

const spellings: Record<string, (part: string) => string> = {
  "padding of one sign": (part) => `${part}=`,
  "the padding of base64": (part) => `${part}==`,
  "too much padding": (part) => `${part}====`,
  "encoded padding": (part) => `${part}%3D%3D`,
  "padding inside": (part) => `${part.slice(0, 4)}==${part.slice(4)}`,
  "the first unused bit set": (part) => withUnusedBits(part, 8),
  "the last unused bit set": (part) => withUnusedBits(part, 1),
  "all unused bits set": (part) => withUnusedBits(part, 15),
  "a space before": (part) => ` ${part}`,
  "a space inside": (part) => `${part.slice(0, 4)} ${part.slice(4)}`,
  "a line feed inside": (part) => `${part.slice(0, 4)}\n${part.slice(4)}`,
  "CRLF after 76 characters": (part) => `${part.slice(0, 76)}\r\n${part.slice(76)}`,
  "a tab after": (part) => `${part}\t`,
  "a NUL inside": (part) => `${part.slice(0, 4)}\0${part.slice(4)}`,
  "a plus inside": (part) => `${part.slice(0, 4)}+${part.slice(4)}`,
  "a slash inside": (part) => `${part.slice(0, 4)}/${part.slice(4)}`,
  "a percent sign inside": (part) => `${part.slice(0, 4)}%${part.slice(4)}`,
  "a character that is ignored": (part) => `${part.slice(0, 4)}!${part.slice(4)}`,
  "a character of which the low byte is its own": (part) =>
    String.fromCharCode(part.charCodeAt(0) + 0x100) + part.slice(1),
  "its first character fullwidth": (part) =>
    String.fromCharCode(part.charCodeAt(0) + 0xfee0) + part.slice(1),
  "its first character encoded": (part) => `%${part.charCodeAt(0).toString(16)}${part.slice(1)}`,
  "a character too few": (part) => part.slice(0, -1),
  "three characters too many": (part) => `${part}AAA`,
};

describe("base64url", () => {
  it("ends with unused bits in every part here", async () => {
    assert.deepEqual(
      parts.map((part) => part.length % 4),
      [2, 2, 2],
    );
    await validator.validate(good);
  });

  for (const [at, name] of names.entries()) {
    describe(`of the ${name}`, () => {
      itRefuses(
        Object.entries(spellings).map(([description, respell]): Attack => {
          const make = () => parts.with(at, respell(parts[at]!)).join(".");
          return [`whose ${name} has ${description}`, "TOKEN_MALFORMED", make];
        }),
      );
    });
  }

  itRefuses([
    [
      "in the alphabet of base64",
      "TOKEN_MALFORMED",
      () => {
        const numbered = (count: number) => forge({ payload: { ...claims, count } });
        const counts = Array.from({ length: 50 }, (_, count) => numbered(count));
        const token = counts.find((text) => /[-_]/.test(text))!;
        return token.replaceAll("-", "+").replaceAll("_", "/");
      },
    ],
  ]);
});
