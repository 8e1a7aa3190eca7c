/** Tells one state of the uploads service's schema from another. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

const folder = new URL("../../../services/uploads/schema/", import.meta.url);

/** Of every step's name and content: a database that was made by others is of no use here. */
export async function schemaDigest(): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).toSorted()) {
    if (/^\d/.test(name)) hash.update(`${name}\0${await readFile(new URL(name, folder))}\0`);
  }
  return hash.digest("hex");
}
