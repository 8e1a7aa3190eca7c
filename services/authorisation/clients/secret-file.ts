/** A client secret chosen elsewhere: in a file, so that no list of processes shows it. */
import { readFile } from "node:fs/promises";

/** Long enough not to be guessed, if it is random; short enough for a header. */
const secretCharacters = { min: 32, max: 256 };

/**
 * Reads a secret: the file's text without the line break at its end.
 *
 * @throws Error when the file cannot be read or does not hold a secret; the text is not shown.
 */
export async function readSecretFile(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((cause: Error) => {
    throw new Error(`Cannot read the client secret from ${path}`, { cause });
  });
  const secret = text.replace(/\r?\n$/, "");
  const { min, max } = secretCharacters;
  if (secret.length < min || secret.length > max || !/^[\x20-\x7e]*$/.test(secret)) {
    throw new Error(
      `Cannot use the client secret in ${path}: got ${secret.length} characters, ` +
        `need ${min} to ${max} of printable ASCII on one line`,
    );
  }
  return secret;
}
