import { inspect } from "node:util";

/**
 * Makes a listener safe to call: its failing is no reason to refuse a token, or to stop working.
 * The process is warned, once.
 *
 * @param what what the listener is told of: `the key set`
 */
export function guardListener<Event>(
  onEvent: ((event: Event) => void) | undefined,
  { what, code }: { what: string; code: string },
): (event: Event) => void {
  if (onEvent === undefined) return () => undefined;
  let hasFailed = false;
  const warn = (error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    const message = `Cannot tell of ${what}: onEvent failed; further failures are not shown`;
    process.emitWarning(message, { code, detail: inspect(error) });
  };
  return (event) => {
    try {
      // An async function is a listener too, as far as types can tell.
      const result: unknown = onEvent(event);
      if (result instanceof Promise) result.catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}
