import { inspect } from "node:util";

/**
 * Throws a TypeError if there is any: a misspelt `denylist` would let revoked tokens in, and nobody
 * would notice.
 *
 * @param act what cannot be done then: `Cannot make a validator`
 * @param others what is left of the options once the known ones are taken out
 */
export function refuseUnknownOptions(act: string, others: object): void {
  const [name] = Object.keys(others);
  if (name !== undefined) throw new TypeError(`${act}: there is no option ${name}`);
}

/** How the process is warned of a listener that fails. */
interface ListenerWarning {
  /** The option that the listener was given as: `onEvent`. */
  readonly name: string;
  /** What it is told of: `the key set`. */
  readonly what: string;
  readonly code: string;
}

/**
 * Makes a listener safe to call: its failing is no reason to refuse a token, to let a request in,
 * or to stop working. The process is warned, once.
 */
export function guardListener<Told extends unknown[]>(
  listener: ((...told: Told) => void) | undefined,
  { name, what, code }: ListenerWarning,
): (...told: Told) => void {
  if (listener === undefined) return () => undefined;
  let hasFailed = false;
  const warn = (error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    const message = `Cannot tell of ${what}: ${name} failed; further failures are not shown`;
    process.emitWarning(message, { code, detail: inspect(error) });
  };
  return (...told) => {
    try {
      // An async function is a listener too, as far as types can tell.
      const result: unknown = listener(...told);
      if (result instanceof Promise) result.catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}
