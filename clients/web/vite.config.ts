/** Builds the page into `dist`: `index.html`, and files with their hash in the name in `assets`. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Smaller files gain nothing from compression. */
const compressedBytesMin = 1024;

/** Writes a `.br` and a `.gz` beside each file, so that the server compresses nothing. */
function compressed(): Plugin {
  return {
    name: "stowage-compressed",
    apply: "build",
    enforce: "post",
    async generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const source = Buffer.from(file.type === "chunk" ? file.code : file.source);
        if (source.byteLength < compressedBytesMin) continue;
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
  };
}

export default defineConfig({
  plugins: [react(), compressed()],
  // The policy of the page's server allows no `data:` scripts or fonts: every file is a file.
  build: { assetsInlineLimit: 0, target: "es2024", modulePreload: { polyfill: false } },
});
