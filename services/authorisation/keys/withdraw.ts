/** `keys withdraw`: takes a key back at once, and all that it signed. */
import { Command, InvalidArgumentError } from "commander";
import { withdrawKey } from "../signing/change-keys.ts";
import type { WithKeys } from "./with-keys.ts";

const help = `
For a key that others may have. It leaves the key set, signs no more, and goes onto the denylist:
the services refuse all tokens that it signed within two seconds. If it was the one that signs,
another signs from this moment on. It cannot be undone.

Example:
  stowage keys withdraw jowS16ZnTLJNihqZtRdNE_Kkv8eg8Ze47IdLZqqC7ZA
`;

/** The command, for `main.ts`. */
export function withdrawCommand(withKeys: WithKeys): Command {
  return new Command("withdraw")
    .description("Takes a key back at once, and all tokens that it signed.")
    .argument("<kid>", "the ID of the key, as keys list shows it", parseKeyId)
    .addHelpText("after", help)
    .action(async (keyId: string) => {
      const { changed, nowMs } = await withKeys((work) => withdrawKey({ ...work, keyId }));
      process.stdout.write(`${textOf(keyId, changed, nowMs).join("\n")}\n`);
    });
}

function textOf(
  keyId: string,
  changed: Awaited<ReturnType<typeof withdrawKey>>["changed"],
  nowMs: number,
): string[] {
  if (changed.length === 0) return [`key ${keyId} was withdrawn before`];
  const successor = changed.find((key) => key.keyId !== keyId && key.signsFromMs === nowMs);
  const lines = [`withdrew key ${keyId}; the tokens that it signed are revoked for ever`];
  if (successor !== undefined) lines.push(`key ${successor.keyId} signs from now on`);
  return lines;
}

/** A SHA-256 thumbprint in base64url. */
function parseKeyId(text: string): string {
  if (!/^[\w-]{43}$/.test(text)) {
    throw new InvalidArgumentError("Need the ID of a key: 43 letters, digits, - and _.");
  }
  return text;
}
