/**
 * One line that says what went wrong, causes included, for people who read a terminal or a log.
 *
 * Errors of failed connections carry their story in `errors` and leave `message` empty; both are read.
 */
export function errorText(error: unknown): string {
  const texts: string[] = [];
  for (let part: unknown = error; part !== undefined; part = causeOf(part)) {
    const text = ownText(part);
    // Wrapping errors often repeat the message of their cause.
    if (text !== "" && !texts.some((earlier) => earlier.includes(text))) texts.push(text);
    if (texts.length === causesMax) break;
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
