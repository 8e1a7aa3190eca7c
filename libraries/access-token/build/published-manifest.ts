/** The package.json that goes to npm, made from the one that the repository works with. */

export type Manifest = Readonly<Record<string, unknown>>;

/** Where a user of the package finds one entry point. */
interface EntryPoint {
  readonly types: string;
  readonly default: string;
}

/** Members that are published as they are. */
const kept = [
  "name",
  "version",
  "description",
  "keywords",
  "license",
  "type",
  "sideEffects",
  "peerDependencies",
  "peerDependenciesMeta",
];

/** Members that only the repository needs, or that are written anew. */
const leftBehind = ["private", "scripts", "devDependencies", "exports"];

/**
 * The same package, with JavaScript and types in the place of TypeScript.
 *
 * Throws an Error for whatever it does not know, so that nothing gets out, or lost, by accident:
 * above all dependencies, of which users are promised that there are none.
 */
export function publishedManifest(source: Manifest): Manifest {
  for (const name of Object.keys(source)) {
    if (!kept.includes(name) && !leftBehind.includes(name)) {
      throw new Error(`Cannot publish package.json: got ${name}, need it kept or left behind`);
    }
  }
  checkPeers(source);
  return {
    ...Object.fromEntries(kept.map((name) => [name, source[name]])),
    engines: { node: ">=22" },
    // People outside the organisation of a scoped name get it too.
    publishConfig: { access: "public" },
    exports: Object.fromEntries(
      Object.entries(entryFiles(source)).map(([name, file]) => [name, entryPoint(file)]),
    ),
  };
}

/** The TypeScript file of each entry point, from the package's folder: `./src/index.ts`. */
export function entryFiles({ exports = {} }: Manifest): Readonly<Record<string, string>> {
  const files = exports as Record<string, string>;
  for (const [name, file] of Object.entries(files)) {
    if (!/^\.\/src\/[a-z0-9/-]+\.ts$/.test(file)) {
      throw new Error(`Cannot publish ${name}: got ${file}, need a TypeScript file under ./src`);
    }
  }
  return files;
}

function entryPoint(file: string): EntryPoint {
  const built = file.replace("./src/", "./lib/").replace(/\.ts$/, "");
  return { types: `${built}.d.ts`, default: `${built}.js` };
}

/** A peer that is not optional comes along unasked. */
function checkPeers({ peerDependencies = {}, peerDependenciesMeta = {} }: Manifest): void {
  const meta = peerDependenciesMeta as Record<string, { readonly optional?: boolean }>;
  for (const name of Object.keys(peerDependencies as object)) {
    if (meta[name]?.optional !== true) {
      throw new Error(`Cannot publish the peer ${name}: need it to be optional`);
    }
  }
}
