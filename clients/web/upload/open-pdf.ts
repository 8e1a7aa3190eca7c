/**
 * Opens PDFs with pdf.js, in a worker of its own. Only the parts that pages need are loaded, by
 * range requests. Neither `eval` nor WebAssembly is used: the policy of the page forbids both.
 */
import {
  GlobalWorkerOptions,
  getDocument,
  PasswordException,
  type PDFDocumentProxy,
  RenderingCancelledException,
  type RenderTask,
  ResponseException,
  version,
} from "pdfjs-dist";
import workerHref from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import type { ContentFailure } from "./content-failure.ts";

GlobalWorkerOptions.workerSrc = workerHref;

/** The build copies the fonts, character maps and decoders of pdf.js here: see `vite.config.ts`. */
const filesHref = `/assets/pdf-${version}/`;

/** Larger pictures in a document are left out. */
const imagePixelsMax = 64 * 1024 * 1024;
/** Of the canvas, in device pixels. */
const canvasWidthMax = 2048;
const canvasHeightMax = 4096;

export interface Pdf {
  readonly pages: number;
  /** Draws a page, the first being 1. Fails if the document is damaged. */
  readonly draw: (page: number, canvas: HTMLCanvasElement, widthPixels: number) => Promise<void>;
  /** The text of a page, for those who cannot see it. */
  readonly textOf: (page: number) => Promise<string>;
}

/** Fails as `failureOfPdf` tells. The signal closes the document, also later. */
export async function openPdf(href: string, signal: AbortSignal): Promise<Pdf> {
  signal.throwIfAborted();
  const task = getDocument({
    url: href,
    disableAutoFetch: true,
    disableStream: true,
    maxImageSize: imagePixelsMax,
    useWasm: false,
    wasmUrl: filesHref,
    cMapUrl: filesHref,
    standardFontDataUrl: filesHref,
    verbosity: 0,
  });
  signal.addEventListener("abort", () => void task.destroy(), { once: true });
  return pdfOf(await task.promise);
}

function pdfOf(document: PDFDocumentProxy): Pdf {
  let drawing: RenderTask | undefined;
  let lastDraw = 0;
  return {
    pages: document.numPages,
    async draw(number, canvas, widthPixels) {
      lastDraw += 1;
      const draw = lastDraw;
      const page = await document.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      const widthMax = Math.min(widthPixels, canvasWidthMax);
      const scale = Math.min(widthMax / width, canvasHeightMax / height);
      const viewport = page.getViewport({ scale });
      // Pages may arrive in another order than they were turned to.
      if (draw !== lastDraw) return;
      // A canvas can be drawn by one task at a time.
      drawing?.cancel();
      await drawing?.promise.catch(() => undefined);
      if (draw !== lastDraw) return;
      canvas.width = Math.max(1, Math.floor(viewport.width));
      canvas.height = Math.max(1, Math.floor(viewport.height));
      drawing = page.render({ canvas, viewport });
      await drawing.promise.catch((error: unknown) => {
        // Another page is drawn in its place.
        if (!(error instanceof RenderingCancelledException)) throw error;
      });
    },
    async textOf(number) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      return items.map((item) => ("str" in item ? item.str : "")).join(" ");
    },
  };
}

/** Undefined for an HTTP error: ask `readFailure`. */
export function failureOfPdf(error: unknown): ContentFailure | undefined {
  if (error instanceof PasswordException) return "protected";
  return error instanceof ResponseException ? undefined : "unreadable";
}
