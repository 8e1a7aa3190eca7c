/** Does a thing for every element, several at a time and in order; the first error ends it. */
export async function concurrently<T>(
  elements: readonly T[],
  run: (element: T, index: number) => Promise<void>,
  width = 6,
): Promise<void> {
  const remaining = elements.entries();
  const worker = async () => {
    for (const [index, element] of remaining) await run(element, index);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
