/**
 * The headers of content. Content is untrusted: everyone who can write to the source could have put
 * a script into it, and a browser must not run that.
 */
import { create as contentDisposition } from "content-disposition";
import mimeTypes from "mime-types";

/**
 * Types that a browser may show in place. None of them runs script. Everything else is saved, also
 * HTML and SVG.
 */
const shownTypes = new Set([
  "application/pdf",
  "audio/aac",
  "audio/flac",
  "audio/mp4",
  "audio/mpeg",
  "audio/ogg",
  "audio/wav",
  "audio/webm",
  "image/avif",
  "image/bmp",
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp",
  "video/mp4",
  "video/ogg",
  "video/webm",
]);

/** What the type library calls some of them. Not every browser knows these names. */
const otherNames: Readonly<Record<string, string>> = {
  "audio/x-flac": "audio/flac",
  "image/pjpeg": "image/jpeg",
  "video/x-m4v": "video/mp4",
};

/** Sent as `text/plain`, so that browsers interpret nothing in them. */
const plainTextTypes = new Set([
  "application/json",
  "application/toml",
  "application/yaml",
  "application/x-sh",
  "text/css",
  "text/csv",
  "text/markdown",
  "text/plain",
  "text/yaml",
]);

/** The type and disposition of an upload, by its name. A store is asked to send the same. */
export function typeHeaders(
  filename: string,
  { isAttachment }: { readonly isAttachment: boolean },
): { readonly "content-type": string; readonly "content-disposition": string } {
  const type = shownTypeOf(filename);
  const isShown = type !== undefined && !isAttachment;
  return {
    "content-type": type ?? "application/octet-stream",
    "content-disposition": contentDisposition(filename, {
      type: isShown ? "inline" : "attachment",
    }),
  };
}

function shownTypeOf(filename: string): string | undefined {
  const found = mimeTypes.lookup(filename);
  if (found === false) return undefined;
  const type = otherNames[found] ?? found;
  if (plainTextTypes.has(type)) return "text/plain; charset=utf-8";
  return shownTypes.has(type) ? type : undefined;
}

/** Headers that keep a browser from running content, whatever type it detects. */
export const protectingHeaders = {
  "content-security-policy":
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;
