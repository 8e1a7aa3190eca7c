import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { refusalOf } from "../../testing/attacks.ts";
import { always, seed } from "../../testing/properties.ts";
import { claims, forge, validator } from "../../testing/tokens.ts";
import type { TokenRefusalReason } from "../token-refused-error.ts";

const good = forge({
  payload: { ...claims, scope: "upl:bucket:read service_account", sid: "session-1" },
});
const bytes = Buffer.from(good, "latin1");
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const place = fc.nat({ max: good.length - 1 });

/** The possible reasons for refusing a token that the issuer did not sign. */
const reasonsOfStrangers = new Set<TokenRefusalReason>([
  "TOKEN_TOO_LARGE",
  "TOKEN_MALFORMED",
  "ALGORITHM_REFUSED",
  "KEY_UNKNOWN",
  "SIGNATURE_INVALID",
]);

async function isRefused(token: string, what: string): Promise<void> {
  // The good one has just been here, in case something of it is remembered.
  await validator.validate(good);
  const { reason, detail } = await refusalOf(token);
  assert(reasonsOfStrangers.has(reason), `${what}: ${reason}: ${detail}`);
}

describe(`a valid token (seed ${seed})`, () => {
  it("is refused with any one byte changed", async () => {
    for (let at = 0; at < bytes.length; at++) {
      for (const difference of [1, 0x20, 0x80, 255]) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at]! + difference) % 256;
        await isRefused(changed.toString("latin1"), `byte ${at} and ${difference}`);
      }
    }
    const character = fc.constantFrom(...alphabet, ".", "=", "+", "/", " ", "\n", "\0", "\u0141");
    await always(
      [place, character],
      async (at, replacement) => {
        if (good[at] === replacement) return;
        await isRefused(good.slice(0, at) + replacement + good.slice(at + 1), `at ${at}`);
      },
      5000,
    );
  });

  it("is refused with any one byte put in", async () => {
    for (let at = 0; at <= good.length; at++) {
      for (const more of [".", "A", "=", good[at] ?? "", "\0"].filter((text) => text !== "")) {
        await isRefused(good.slice(0, at) + more + good.slice(at), `${more} at ${at}`);
      }
    }
  });

  it("is refused with any one byte taken out", async () => {
    for (let at = 0; at < good.length; at++) {
      await isRefused(good.slice(0, at) + good.slice(at + 1), `without ${at}`);
    }
  });

  it("is refused with bytes missing at the end or the start", async () => {
    for (let at = 1; at < good.length; at++) {
      await isRefused(good.slice(0, at), `${at} characters`);
      await isRefused(good.slice(at), `from ${at}`);
    }
  });

  it("is refused with any two bytes exchanged", async () => {
    await always(
      [place, place],
      async (one, other) => {
        if (good[one] === good[other]) return;
        const changed = [...good];
        [changed[one], changed[other]] = [changed[other]!, changed[one]!];
        await isRefused(changed.join(""), `${one} and ${other}`);
      },
      3000,
    );
  });

  it("is refused with any one bit of its signature changed", async () => {
    const at = good.lastIndexOf(".") + 1;
    const signature = Buffer.from(good.slice(at), "base64url");
    for (let bit = 0; bit < 8 * signature.length; bit++) {
      const changed = Buffer.from(signature);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      await isRefused(good.slice(0, at) + changed.toString("base64url"), `bit ${bit}`);
    }
  });

  it("is refused with any one bit of its header or payload changed", async () => {
    const parts = good.split(".");
    for (const [which, part] of parts.slice(0, 2).entries()) {
      const decoded = Buffer.from(part, "base64url");
      for (let bit = 0; bit < 8 * decoded.length; bit++) {
        const changed = Buffer.from(decoded);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        const token = parts.with(which, changed.toString("base64url")).join(".");
        await isRefused(token, `bit ${bit} of part ${which}`);
      }
    }
  });

  it("is refused with any part replaced by any text", async () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.base64String());
    await always(
      [place, fc.nat({ max: 9 }), text],
      async (at, count, replacement) => {
        const changed = good.slice(0, at) + replacement + good.slice(at + count);
        if (changed !== good) await isRefused(changed, `${count} from ${at}`);
      },
      3000,
    );
  });

  it("cannot be recombined with other valid tokens", async () => {
    const tokens = ["a", "b", "c"].map((jti) => forge({ payload: { ...claims, jti } }).split("."));
    const which = fc.nat({ max: tokens.length - 1 });
    const part = fc.nat({ max: 2 });
    await always(
      [fc.tuple(which, part), fc.tuple(which, part), fc.tuple(which, part)],
      async (...from) => {
        const mixed = from.map(([token, at]) => tokens[token]![at]).join(".");
        if (tokens.some((parts) => parts.join(".") === mixed)) return;
        await isRefused(mixed, "a mixture");
      },
    );
  });
});
