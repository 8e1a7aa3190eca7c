import { inspect } from "node:util";

/**
 * Throws a TypeError if there are unknown options: a misspelt `denylist` would accept revoked
 * tokens without notice.
 *
 * @param act the start of the message: `Cannot make a validator`
 * @param others the options without the known ones
 */
export function refuseUnknownOptions(act: string, others: object): void {
  const [name] = Object.keys(others);
  if (name !== undefined) throw new TypeError(`${act}: there is no option ${name}`);
}

/** The contents of the warning about a listener that failed. */
interface ListenerWarning {
  /** The name of the listener's option: `onEvent`. */
  readonly option: string;
  /** What it was called for: `an event of the key set`. */
  readonly subject: string;
  /** The code of the warning, for the event `warning` of `process`. */
  readonly code: string;
}

/**
 * Returns a listener that never throws: if the given one throws, or returns a promise that rejects,
 * the process is warned once, and nothing else changes.
 */
export function guardListener<Arguments extends unknown[]>(
  listener: ((...values: Arguments) => void) | undefined,
  { option, subject, code }: ListenerWarning,
): (...values: Arguments) => void {
  if (listener === undefined) return () => undefined;
  let hasFailed = false;
  const warn = (error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    const message = `Cannot report ${subject}: ${option} failed; further failures are not shown`;
    process.emitWarning(message, { code, detail: inspect(error) });
  };
  return (...values) => {
    try {
      // The type also admits async functions.
      const result: unknown = listener(...values);
      if (result instanceof Promise) result.catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}
