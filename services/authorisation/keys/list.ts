/** `keys list`: shows what each key does, and until when. */
import { Command } from "commander";
import { tableText } from "../output/table-text.ts";
import { type KeyState, removedAtMs, stateOf } from "../signing/key-times.ts";
import { type KeysRead, readSigningKeys } from "../store/read-signing-keys.ts";
import type { WithPool } from "../store/with-pool.ts";
import { timeText } from "./time-text.ts";

const help = `
published  in the key set; signs from the time shown
signing    in the key set; signs new tokens
retired    in the key set, until the last token that it signed has expired
removed    out of the key set; every token that it signed has expired
withdrawn  taken back with keys withdraw; every token that it signed is revoked
`;

/** The command, for `main.ts`. */
export function listCommand(withPool: WithPool): Command {
  return new Command("list")
    .description("Lists the keys, oldest first, and what each of them does.")
    .option("--json", "print a JSON array")
    .addHelpText("after", help)
    .action(async (options: { json?: true }) => {
      const keys = listed(await withPool((pool) => readSigningKeys(pool, "all")));
      const text = options.json ? `${JSON.stringify(keys)}\n` : tableText(keys, columns);
      process.stdout.write(text);
    });
}

/** A key as people may see it. Times are RFC 3339; what does not apply is left out. */
interface ListedKey {
  keyId: string;
  state: KeyState;
  createdAt: string;
  signsFrom: string;
  retiredAt?: string;
  removedAt?: string;
  withdrawnAt?: string;
  /** Which key the private half is encrypted with, until that is erased. */
  encryptionKeyId?: string;
}

function listed({ keys, nowMs }: KeysRead): ListedKey[] {
  return keys.map((key) => {
    const { keyId, createdAtMs, signsFromMs, retiredAtMs, withdrawnAtMs, sealedKey } = key;
    const ends = withdrawnAtMs === undefined && retiredAtMs !== undefined;
    return {
      keyId,
      state: stateOf(key, nowMs),
      createdAt: timeText(createdAtMs),
      signsFrom: timeText(signsFromMs),
      ...(retiredAtMs !== undefined && { retiredAt: timeText(retiredAtMs) }),
      ...(ends && { removedAt: timeText(removedAtMs(retiredAtMs)) }),
      ...(withdrawnAtMs !== undefined && { withdrawnAt: timeText(withdrawnAtMs) }),
      ...(sealedKey !== undefined && { encryptionKeyId: sealedKey.encryptionKeyId }),
    };
  });
}

const columns: Record<string, (key: ListedKey) => string> = {
  "KEY ID": (key) => key.keyId,
  STATE: (key) => key.state,
  "SIGNS FROM": (key) => key.signsFrom,
  "SIGNS UNTIL": (key) => key.retiredAt ?? "-",
  "PUBLISHED UNTIL": (key) => key.withdrawnAt ?? key.removedAt ?? "-",
  "ENCRYPTED WITH": (key) => key.encryptionKeyId ?? "-",
};
