import { once } from "node:events";

/** Writes to stdout no faster than it is read: a long list does not pile up in memory. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
