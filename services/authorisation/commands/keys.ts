/** `keys`: lists, rotates and withdraws the keys that sign tokens, while the service runs. */
import { createLogger, openEncryptionKeys, printText, readSettings } from "@stowage/process";
import { InvalidArgumentError } from "commander";
import { type KeyState, removedAtMs, stateOf } from "../model/key-times.ts";
import { findKeys, keyCommandSettings, keyPurpose } from "../settings.ts";
import { type ChangeOptions, rotateKeys, withdrawKey } from "../signing/change-keys.ts";
import { isAnyKeySealed, type KeysRead, readSigningKeys } from "../store/signing-keys.ts";
import { type Columns, printRows, timeText } from "./output.ts";
import { type Environment, runCommands, type WithPool } from "./run-commands.ts";

const listHelp = `
published  in the key set; signs from the time shown
signing    in the key set; signs new tokens
retired    in the key set, until the last token that it signed has expired
removed    out of the key set; every token that it signed has expired
withdrawn  taken back with keys withdraw; every token that it signed is revoked`;

/** A key as the command shows it. Times are RFC 3339. */
interface ListedKey {
  keyId: string;
  state: KeyState;
  createdAt: string;
  signsFrom: string;
  retiredAt?: string;
  removedAt?: string;
  withdrawnAt?: string;
  /** The key that encrypts the private key, until the private key is erased. */
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

const columns: Columns<ListedKey> = {
  "KEY ID": (key) => key.keyId,
  STATE: (key) => key.state,
  "SIGNS FROM": (key) => key.signsFrom,
  "SIGNS UNTIL": (key) => key.retiredAt ?? "-",
  "PUBLISHED UNTIL": (key) => key.withdrawnAt ?? key.removedAt ?? "-",
  "ENCRYPTED WITH": (key) => key.encryptionKeyId ?? "-",
};

const rotateHelp = `
The new key is published at once. It signs when it has been published for KEY_PUBLICATION_S, so that
every resource server knows it by then. The old key stays published until the last token that it
signed has expired. No token is refused, and no service restarts. A rotation is refused until the
one before has ended.`;

type WithKeys = <T>(
  action: (work: ChangeOptions & { publicationMs: number }) => Promise<T>,
) => Promise<T>;

async function rotate(withKeys: WithKeys): Promise<void> {
  const { changed } = await withKeys(rotateKeys);
  const added = changed.find(({ retiredAtMs }) => retiredAtMs === undefined);
  const retired = changed.find(({ retiredAtMs }) => retiredAtMs !== undefined);
  if (added === undefined) throw new Error("Cannot tell the new key: there is none");
  const lines = [`published key ${added.keyId}; it signs from ${timeText(added.signsFromMs)}`];
  if (retired?.retiredAtMs !== undefined) {
    const until = timeText(removedAtMs(retired.retiredAtMs));
    lines.push(`key ${retired.keyId} signs until then, and stays published until ${until}`);
  }
  printText(`${lines.join("\n")}\n`);
}

const withdrawHelp = `
For a key that others may have. The key leaves the key set, signs nothing more, and is put on the
denylist: within two seconds, the services refuse all tokens that it signed. If it was the signing
key, another key signs from this moment on. A withdrawal cannot be undone.

Example:
  stowage keys withdraw jowS16ZnTLJNihqZtRdNE_Kkv8eg8Ze47IdLZqqC7ZA`;

async function withdraw(keyId: string, withKeys: WithKeys): Promise<void> {
  const { changed, nowMs } = await withKeys((work) => withdrawKey({ ...work, keyId }));
  if (changed.length === 0) {
    printText(`key ${keyId} was withdrawn before\n`);
    return;
  }
  printText(`withdrew key ${keyId}; the tokens that it signed are revoked for ever\n`);
  const successor = changed.find((key) => key.keyId !== keyId && key.signsFromMs === nowMs);
  if (successor !== undefined) {
    printText(`key ${successor.keyId} signs from now on\n`);
  }
}

/** Opens the database, and the keys that the signing keys in it are encrypted with. */
function withKeysOf(withPool: WithPool, environment: Environment): WithKeys {
  return async (action) => {
    const settings = readSettings(keyCommandSettings, environment);
    const source = await findKeys(environment);
    const logger = createLogger({ name: "keys", level: settings.logLevel });
    const publicationMs = settings.keyPublicationS * 1000;
    return await withPool(async (pool) => {
      const isInUse = () => isAnyKeySealed(pool);
      const encryptionKeys = await openEncryptionKeys(keyPurpose, { source, isInUse, logger });
      return await action({ pool, encryptionKeys, publicationMs });
    });
  };
}

/** A SHA-256 thumbprint in base64url. */
function parseKeyId(text: string): string {
  if (!/^[\w-]{43}$/.test(text)) {
    throw new InvalidArgumentError("Need the ID of a key: 43 letters, digits, - and _.");
  }
  return text;
}

await runCommands(
  {
    name: "keys",
    description: "Changes the keys that sign tokens, while the services run.",
    examples: ["stowage keys rotate"],
    settings: { rotate: keyCommandSettings, withdraw: keyCommandSettings },
  },
  (program, withPool, { environment }) => {
    const withKeys = withKeysOf(withPool, environment);
    program
      .command("list")
      .description("Lists the keys, oldest first, and what each of them does.")
      .option("--json", "print a JSON array")
      .addHelpText("after", listHelp)
      .action(async ({ json }: { json?: true }) => {
        const read = await withPool((pool) => readSigningKeys(pool, "all"));
        printRows(listed(read), columns, {
          json,
          none: "keys; the authorisation service makes the first one when it starts",
        });
      });
    program
      .command("rotate")
      .description("Publishes a new key, which soon replaces the key that signs now.")
      .addHelpText("after", rotateHelp)
      .action(() => rotate(withKeys));
    program
      .command("withdraw")
      .description("Withdraws a key at once, and revokes all tokens that it signed.")
      .argument("<kid>", "the ID of the key, as keys list shows it", parseKeyId)
      .addHelpText("after", withdrawHelp)
      .action((keyId: string) => withdraw(keyId, withKeys));
  },
);
