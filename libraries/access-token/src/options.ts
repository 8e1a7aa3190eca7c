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

/**
 * Returns a listener that never throws: if the given one throws, or returns a promise that rejects,
 * the process is warned once, and nothing else changes.
 *
 * @param option the listener's option, for the warning: `onEvent of a key set`
 */
export function guardListener<Arguments extends unknown[]>(
  listener: ((...values: Arguments) => void) | undefined,
  option: string,
): (...values: Arguments) => void {
  if (listener === undefined) return () => undefined;
  let hasFailed = false;
  const warn = (error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    const message = `${option} failed; further failures are not shown`;
    process.emitWarning(message, { code: "LISTENER_FAILED", detail: inspect(error) });
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
