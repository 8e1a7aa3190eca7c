/** Resolves once it holds. A test that waits in vain ends by its time limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}
