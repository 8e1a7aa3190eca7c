/** The pages of a PDF, one at a time. */
import { useEffect, useRef, useState } from "react";
import { formatCount } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import type { Pdf } from "./open-pdf.ts";
import { PreviewLoading, type PreviewProps } from "./preview-frame.tsx";

const texts = strings.preview;

export function PdfPreview({ href, onFailure }: PreviewProps) {
  const [pdf, setPdf] = useState<Pdf>();
  const [fault, setFault] = useState<Error>();
  const fail = useRef(onFailure);
  fail.current = onFailure;
  useEffect(() => {
    const closing = new AbortController();
    const { signal } = closing;
    const open = async () => {
      // pdf.js is larger than the rest of the page, and most readers never need it.
      const { failureOfPdf, openPdf } = await import("./open-pdf.ts");
      try {
        setPdf(await openPdf(href, signal));
      } catch (error) {
        if (!signal.aborted) fail.current(failureOfPdf(error));
      }
    };
    open().catch((cause) => setFault(new Error("The viewer of PDFs cannot be loaded", { cause })));
    return () => closing.abort();
  }, [href]);
  // After a new release, its file has another name: only loading the page again helps.
  if (fault !== undefined) throw fault;
  if (pdf === undefined) return <PreviewLoading />;
  return <PdfPages pdf={pdf} onFailure={() => onFailure("unreadable")} />;
}

interface PagesProps {
  readonly pdf: Pdf;
  readonly onFailure: () => void;
}

function PdfPages({ pdf, onFailure }: PagesProps) {
  const [page, setPage] = useState(1);
  const name = texts.page(formatCount(page), formatCount(pdf.pages));
  return (
    <div className="upload-pdf">
      <PdfPage key={page} pdf={pdf} page={page} name={name} onFailure={onFailure} />
      {pdf.pages > 1 && (
        <div className="upload-pages">
          <button
            type="button"
            className="upload-button"
            aria-label={texts.previousPage}
            disabled={page === 1}
            onClick={() => setPage(page - 1)}
          >
            ‹
          </button>
          <span role="status">{name}</span>
          <button
            type="button"
            className="upload-button"
            aria-label={texts.nextPage}
            disabled={page === pdf.pages}
            onClick={() => setPage(page + 1)}
          >
            ›
          </button>
        </div>
      )}
    </div>
  );
}

interface PageProps extends PagesProps {
  readonly page: number;
  readonly name: string;
}

function PdfPage({ pdf, page, name, onFailure }: PageProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [text, setText] = useState("");
  const fail = useRef(onFailure);
  fail.current = onFailure;
  useEffect(() => {
    let isClosed = false;
    const show = async (element: HTMLCanvasElement) => {
      await pdf.draw(page, element, element.clientWidth * window.devicePixelRatio);
      const read = await pdf.textOf(page);
      if (!isClosed) setText(read);
    };
    if (canvas.current !== null) {
      show(canvas.current).catch(() => isClosed || fail.current());
    }
    return () => {
      isClosed = true;
    };
  }, [pdf, page]);
  return (
    <>
      {/* Glyphs are drawn one by one, which the direction of the page would reverse. */}
      <canvas ref={canvas} className="upload-page" dir="ltr" role="img" aria-label={name} />
      <p className="unseen">{text}</p>
    </>
  );
}
