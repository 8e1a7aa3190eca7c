/**
 * Describes an error and its causes in one line, for a terminal or a log. Errors of failed
 * connections have an empty `message` and the details in `errors`, so this reads both.
 */
export function errorText(error: unknown): string {
  const texts: string[] = [];
  let part = error;
  for (let depth = 0; depth < causesMax && part !== undefined; depth++) {
    const text = ownText(part);
    // Wrapping errors often repeat the message of their cause.
    if (text !== "" && !texts.some((earlier) => earlier.includes(text))) texts.push(text);
    part = causeOf(part);
  }
  return texts.join(": ") || "unknown error";
}

const causesMax = 5;

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

function ownText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  if (error instanceof AggregateError) return [...new Set(error.errors.map(ownText))].join("; ");
  return (error as NodeJS.ErrnoException).code ?? error.name;
}
