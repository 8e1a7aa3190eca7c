/**
 * One line that says what went wrong, causes included, for people who read a terminal or a log.
 *
 * Errors of failed connections carry their story in `errors` and leave `message` empty; both are
 * read.
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
