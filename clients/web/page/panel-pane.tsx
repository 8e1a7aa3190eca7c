/** One upload beside the list. What it shows is loaded when it is first opened. */
import { useRef } from "react";
import { AddressLink } from "../address/address-link.tsx";
import { useAddress } from "../address/use-address.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { usePanelFocus } from "../focus/use-panel-focus.ts";
import { strings } from "../text/strings.ts";
import type { Neighbours } from "../uploads/list-entries.ts";
import { useIsMedium, useIsNarrow } from "../uploads/use-is-narrow.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { LoadedPart } from "./loaded-part.tsx";

interface Props {
  readonly bucket: Bucket;
  readonly neighbours: Neighbours;
}

export function PanelPane({ bucket, neighbours }: Props) {
  const { upload } = useAddress().address;
  const pane = useRef<HTMLElement>(null);
  usePanelFocus(pane, useCovered());
  return (
    <aside
      ref={pane}
      id="upload"
      className="page-panel"
      tabIndex={-1}
      aria-label={strings.upload.label}
    >
      <ErrorBoundary subject={upload}>
        <LoadedPart
          name="the panel"
          load={() => import("../upload/upload-panel.tsx")}
          wayOn={
            <p>
              <AddressLink change={{ upload: "" }}>{strings.upload.close}</AddressLink>
            </p>
          }
        >
          {({ UploadPanel }) => (
            <UploadPanel bucket={bucket} uploadId={upload} neighbours={neighbours} />
          )}
        </LoadedPart>
      </ErrorBoundary>
    </aside>
  );
}

/** What the panel covers: the style sheet and `inert` see to it. */
function useCovered(): "list" | "folders" | "nothing" {
  const isMedium = useIsMedium();
  if (useIsNarrow()) return "list";
  return isMedium ? "folders" : "nothing";
}
