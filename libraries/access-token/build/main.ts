/** What `npm run build` runs: makes `dist/` anew, or the folder that it is given. */
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildPackage } from "./build-package.ts";

const [given] = process.argv.slice(2);
const dist = join(dirname(import.meta.dirname), "dist");
if (given === undefined) await rm(dist, { recursive: true, force: true });
await buildPackage(given ?? dist);
