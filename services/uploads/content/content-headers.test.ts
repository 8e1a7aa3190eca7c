import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { typeHeaders } from "./content-headers.ts";

/** Each type that is shown in place, and extensions of files that have it. */
const shown: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "audio/aac": "aac adts",
  "audio/flac": "flac",
  "audio/mp4": "m4a m4b mp4a",
  "audio/mpeg": "m2a m3a mp2 mp2a mp3 mpga",
  "audio/ogg": "oga ogg opus spx",
  "audio/wav": "wav",
  "audio/webm": "weba",
  "image/avif": "avif",
  "image/bmp": "bmp dib",
  "image/gif": "gif",
  "image/jpeg": "jfif jpe jpeg jpg",
  "image/png": "png",
  "image/webp": "webp",
  "text/plain; charset=utf-8": "csv css ini json log map md sh toml txt yaml yml",
  "video/mp4": "m4v mp4 mp4v mpg4",
  "video/ogg": "ogv",
  "video/webm": "webm",
};

const headersOf = (filename: string, isAttachment = false) => {
  const headers = typeHeaders(filename, { isAttachment });
  const [disposition] = headers["content-disposition"].split(";");
  return [headers["content-type"], disposition];
};

describe("the headers of content", () => {
  for (const [type, extensions] of Object.entries(shown)) {
    it(`show ${extensions} in place, as ${type}`, () => {
      for (const extension of extensions.split(" ")) {
        assert.deepEqual(headersOf(`a.${extension}`), [type, "inline"], extension);
        assert.deepEqual(headersOf(`a.${extension}`, true), [type, "attachment"], extension);
      }
    });
  }

  it("have everything else saved, of no type", () => {
    for (const name of ["page.html", "logo.svg", "script.js", "a.xml", "a.mkv", "constructor"]) {
      assert.deepEqual(headersOf(name), ["application/octet-stream", "attachment"], name);
    }
  });
});
