/**
 * Reads the body of a response piece by piece. Leaving the loop cancels the call.
 *
 * Not by iterating over the stream itself: Safari's streams have no iterator.
 */
export async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return;
      yield chunk.value;
    }
  } finally {
    await reader?.cancel();
  }
}
