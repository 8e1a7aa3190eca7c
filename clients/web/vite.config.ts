/** Builds the page into `dist`: `index.html`, and files with their hash in the name in `assets`. */
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Smaller files gain nothing from compression. */
const compressedBytesMin = 1024;
/** Other files are compressed by their format. */
const compressedFile = /\.(?:js|mjs|css|html|svg)$/;

/** Writes a `.br` and a `.gz` beside each file, so that the server compresses nothing. */
function compressed(): Plugin {
  return {
    name: "stowage-compressed",
    apply: "build",
    generateBundle: {
      // Vite completes the scripts in this step: earlier, they would be compressed unfinished.
      order: "post",
      async handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          const source = Buffer.from(file.type === "chunk" ? file.code : file.source);
          const isSmall = source.byteLength < compressedBytesMin;
          if (isSmall || !compressedFile.test(file.fileName)) continue;
          const [br, gz] = await Promise.all([
            promisify(brotliCompress)(source, {
              params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
            }),
            promisify(gzip)(source, { level: 9 }),
          ]);
          this.emitFile({ type: "asset", fileName: `${file.fileName}.br`, source: br });
          this.emitFile({ type: "asset", fileName: `${file.fileName}.gz`, source: gz });
        }
      },
    },
  };
}

/** What pdf.js loads while it runs: fonts, character maps, and decoders without WebAssembly. */
const pdfFolders = ["standard_fonts", "cmaps", "wasm"];
const pdfFile = /\.(?:bcmap|pfb|ttf)$|_nowasm_fallback\.js$/;

/** Copies these files into `assets/pdf-VERSION`, where `upload/open-pdf.ts` looks for them. */
function pdfFiles(): Plugin {
  return {
    name: "stowage-pdf-files",
    apply: "build",
    async generateBundle() {
      const manifest = createRequire(import.meta.url).resolve("pdfjs-dist/package.json");
      const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
      for (const folder of pdfFolders) {
        const from = join(dirname(manifest), folder);
        for (const name of (await readdir(from)).filter((file) => pdfFile.test(file))) {
          const source = await readFile(join(from, name));
          this.emitFile({ type: "asset", fileName: `assets/pdf-${version}/${name}`, source });
        }
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), compressed(), pdfFiles()],
  build: {
    // The policy of the page's server allows no `data:` scripts or fonts: every file is a file.
    assetsInlineLimit: 0,
    // One style sheet, which is small: then only scripts can fail to load later.
    cssCodeSplit: false,
    target: "es2024",
    modulePreload: { polyfill: false },
  },
});
