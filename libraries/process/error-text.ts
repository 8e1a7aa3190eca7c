/** An error whose message has several lines. In any other message, others chose the line feeds. */
export class MultilineError extends Error {
  override readonly name: string = "MultilineError";
}

/**
 * Describes an error and its causes in one line, for a terminal or a log. Errors of failed
 * connections have an empty `message` and the details in `errors`, so this reads both.
 */
export function errorText(error: unknown): string {
  const texts: string[] = [];
  for (const part of withCauses(error)) {
    const text = ownText(part);
    // Wrapping errors often repeat the message of their cause.
    if (text !== "" && !texts.some((earlier) => earlier.includes(text))) texts.push(text);
  }
  return texts.join(": ") || "unknown error";
}

/** Whether the error, or one that caused it, has a message of several lines. */
export function hasLines(error: unknown): boolean {
  return withCauses(error).some((part) => part instanceof MultilineError);
}

const causesMax = 5;

function withCauses(error: unknown): readonly unknown[] {
  const parts: unknown[] = [];
  let part = error;
  while (parts.length < causesMax && part !== undefined) {
    parts.push(part);
    part = part instanceof Error ? part.cause : undefined;
  }
  return parts;
}

function ownText(error: unknown): string {
  // Libraries attach what they were about to judge as a cause: it may be long, or a secret.
  if (!(error instanceof Error)) return typeof error === "object" ? "" : String(error);
  if (error.message !== "") return error.message;
  if (error instanceof AggregateError) return [...new Set(error.errors.map(ownText))].join("; ");
  return (error as NodeJS.ErrnoException).code ?? error.name;
}
