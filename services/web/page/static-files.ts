/** The files of the page's build, in memory: they are small, and a new build may remove them. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fresh from "fresh";
import mimeTypes from "mime-types";
import Negotiator from "negotiator";
import { type Handle, send } from "../http/answer.ts";
import { pagePolicy } from "../http/security-headers.ts";
import { WebError } from "../model/web-error.ts";

/** Far more than a page has. */
const bytesMax = 64 * 1024 * 1024;

/** Endings of the ready-made compressed files beside each file, by the name of the encoding. */
const endings = { br: ".br", gzip: ".gz" } as const;

type Encoding = keyof typeof endings | "identity";

interface StaticFile {
  readonly type: string;
  /** The best encoding first. */
  readonly bodies: ReadonlyMap<Encoding, Buffer>;
  /** Of the uncompressed content. */
  readonly digest: string;
}

/** Files by their path below the folder, as in `/assets/index-4f2a.js`. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

/** Reads all files of a build. */
export async function readStaticFiles(folder: string): Promise<StaticFiles> {
  const names = await namesIn(folder);
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  for (const name of names) {
    const content = await readFile(join(folder, name));
    bytes += content.byteLength;
    if (bytes > bytesMax) throw new Error(`Cannot serve ${folder}: it has more than 64 MiB`);
    contents.set(`/${name}`, content);
  }
  const isCompressed = (name: string) => /\.(br|gz)$/.test(name);
  const files = [...contents].filter(([name]) => !isCompressed(name));
  return new Map(files.map(([name, content]) => [name, fileOf(name, content, contents)]));
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "/").length));
}

function fileOf(name: string, content: Buffer, contents: ReadonlyMap<string, Buffer>): StaticFile {
  const compressed = Object.entries(endings).flatMap(([encoding, ending]) => {
    const body = contents.get(name + ending);
    return body === undefined ? [] : [[encoding as Encoding, body] as const];
  });
  return {
    type:
      mimeTypes.contentType(name.slice(name.lastIndexOf("/") + 1)) || "application/octet-stream",
    bodies: new Map<Encoding, Buffer>([...compressed, ["identity", content]]),
    digest: createHash("sha256").update(content).digest("base64url").slice(0, 27),
  };
}

const pagePath = "/index.html";

/** Where the files are whose names have a hash of their content, so that they never change. */
const assetsPath = "/assets/";

/** The paths of the files besides the page and its assets, such as `/icon.svg`. */
export function otherPaths(files: StaticFiles): readonly string[] {
  return [...files.keys()].filter((path) => path !== pagePath && !path.startsWith(assetsPath));
}

function headersOf(path: string): Readonly<Record<string, string>> {
  if (path.startsWith(assetsPath))
    return { "Cache-Control": "public, max-age=31536000, immutable" };
  // A browser asks each time whether there is a newer one.
  const headers = { "Cache-Control": "no-cache" };
  return path === pagePath ? { ...headers, "Content-Security-Policy": pagePolicy } : headers;
}

/** Serves the page at `/`, and the other files at their paths. */
export function serveFiles(files: StaticFiles): Handle {
  return async (request, response) => {
    const asked = (request.url ?? "").split("?", 1)[0] ?? "";
    const path = asked === "/" ? pagePath : asked;
    const file = files.get(path);
    if (file === undefined) throw new WebError("ADDRESS_UNKNOWN", "there is no such file");
    const accepts = new Negotiator(request);
    const encoding =
      [...file.bodies.keys()].find((each) => accepts.encodings([each]).length > 0) ?? "identity";
    // One for each encoding: the bytes differ (RFC 9110 section 8.8.3).
    const etag = `"${file.digest}-${encoding}"`;
    const common = { ...headersOf(path), ETag: etag, Vary: "Accept-Encoding" };
    if (fresh(request.headers, { etag })) return send(response, 304, common);
    const isEncoded = encoding !== "identity";
    send(
      response,
      200,
      {
        ...common,
        "Content-Type": file.type,
        ...(isEncoded && { "Content-Encoding": encoding }),
      },
      file.bodies.get(encoding),
    );
  };
}
