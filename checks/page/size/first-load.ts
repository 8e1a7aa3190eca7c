/** What a first visit to the page loads, and what it is made of, read from the build. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { root } from "../../testing/programs.ts";

const page = join(root, "clients", "web");
const build = join(page, "dist");

interface FirstLoad {
  /** Paths in the build. */
  readonly scripts: readonly string[];
  readonly gzipBytes: number;
}

/**
 * The scripts that `index.html` names, and all that they import at once. What is loaded later, when
 * it is needed, does not count.
 */
export async function firstLoad(): Promise<FirstLoad> {
  const html = await readFile(join(build, "index.html"), "utf8").catch((cause) => {
    throw new Error("The page is not built: npm run build", { cause });
  });
  const sizes = new Map<string, number>();
  const add = async (path: string): Promise<void> => {
    if (sizes.has(path)) return;
    sizes.set(path, 0);
    const code = await readFile(join(build, path));
    sizes.set(path, gzipSync(code, { level: 9 }).byteLength);
    const imports = code.toString().matchAll(/\b(?:import|from) ?"\.\/([^"]+\.js)"/g);
    for (const [, file = ""] of imports) await add(join("assets", file));
  };
  const named = html.matchAll(/<(?:script|link rel="modulepreload")[^>]*(?:src|href)="\/([^"]+)"/g);
  for (const [, path = ""] of named) await add(path);
  return {
    scripts: [...sizes.keys()],
    gzipBytes: sizes.values().reduce((sum, size) => sum + size, 0),
  };
}

interface CompressedFile {
  readonly path: string;
  /** The file that it stands for. */
  readonly content: Buffer;
  readonly unpacked: Buffer;
}

/** The ready-made compressed files of the build. */
export async function compressedFiles(): Promise<CompressedFile[]> {
  const paths = await readdir(build, { recursive: true });
  const read = async (path: string): Promise<CompressedFile> => {
    const [packed, content] = await Promise.all([
      readFile(join(build, path)),
      readFile(join(build, path.replace(/\.(br|gz)$/, ""))),
    ]);
    const unpack = path.endsWith(".br") ? brotliDecompressSync : gunzipSync;
    return { path, content, unpacked: unpack(packed) };
  };
  return await Promise.all(paths.filter((path) => /\.(br|gz)$/.test(path)).map(read));
}

/** The libraries that the page's code is made of. Ours and the tools of the build do not count. */
export async function dependenciesOf(): Promise<string[]> {
  const own = JSON.parse(await readFile(join(page, "package.json"), "utf8"));
  const tools = ["vite", "@vitejs/plugin-react"];
  return Object.keys(own.dependencies as Record<string, string>).filter(
    (name) => !name.startsWith("@stowage/") && !tools.includes(name),
  );
}
