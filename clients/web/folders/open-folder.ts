import type { Address } from "../address/address.ts";

/**
 * The change of the address that opens a folder: a search ends, since the reader wants to see what
 * is there, and the panel closes.
 */
export function openingOf(folder: string): Partial<Address> {
  return { folder, search: "", upload: "" };
}
