import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
} from "node:zlib";

/** A content coding for answers that are compressed while they are made. */
export interface StreamEncoding {
  readonly name: string;
  readonly create: () => Gzip | BrotliCompress;
}

/** Of the compressed answer. */
const chunkSize = 64 * 1024;

// In the order of preference. Trees are so alike in every line that more effort gains next to
// nothing: these take a twentieth of the bytes at the speed of a fast network.
const encodings: readonly StreamEncoding[] = [
  {
    name: "br",
    create: () =>
      createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  },
  { name: "gzip", create: () => createGzip({ chunkSize, level: 3 }) },
];

/** The coding for an Accept-Encoding header (RFC 9110 section 12.5.3); none: as it is. */
export function chooseEncoding(acceptEncoding = ""): StreamEncoding | undefined {
  const accepted = new Set<string>();
  for (const element of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = element.split(";").map((part) => part.trim());
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return encodings.find(({ name }) => accepted.has(name));
}
