/** Tells one state of the uploads service's schema from another. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Of the name and content of every migration in a checkout. */
export async function schemaDigest(checkout: string): Promise<string> {
  const folder = join(checkout, "services/uploads/schema");
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).toSorted()) {
    if (/^\d/.test(name)) hash.update(`${name}\0${await readFile(join(folder, name))}\0`);
  }
  return hash.digest("hex");
}
