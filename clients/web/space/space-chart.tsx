/** Where the bytes of a folder are: as a treemap, or as a table. */
import "./space-chart.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAddress } from "../address/use-address.ts";
import { useLastingFailure } from "../api/use-lasting-failure.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { RetryButton } from "../focus/retry-button.tsx";
import type { FolderLevel } from "../folders/folder-level.ts";
import { folderLevelQuery } from "../folders/folder-level-query.ts";
import { formatSize } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { isSearch } from "../uploads/list-query.ts";
import { formatUploads } from "./part-texts.ts";
import { PartsTable } from "./parts-table.tsx";
import { Treemap } from "./treemap.tsx";

const texts = strings.space;

const forms = ["map", "table"] as const;
type Form = (typeof forms)[number];

export function SpaceChart({ bucket }: { readonly bucket: Bucket }) {
  const { address } = useAddress();
  const { folder } = address;
  const query = useQuery(folderLevelQuery(bucket.bucketId, folder));
  const { hasFailed, retry } = useLastingFailure(query);
  const [form, setForm] = useState<Form>("map");
  const lastFolder = useLastFolder(folder);
  if (hasFailed) {
    return (
      <div className="space-message" role="alert">
        <p>{texts.failed}</p>
        <RetryButton onRetry={retry} />
      </div>
    );
  }
  const { data } = query;
  if (data === undefined) {
    return (
      <p className="space-message is-late" role="status">
        {texts.loading}
      </p>
    );
  }
  return (
    <section className="space" aria-label={texts.label}>
      <ChartHeader level={data} form={form} onForm={setForm} />
      {isSearch(address) && <p className="space-message">{texts.unfiltered}</p>}
      {data.totals.sizeBytes === 0 && <p className="space-message">{texts.empty}</p>}
      {data.totals.sizeBytes > 0 && form === "map" && (
        <Treemap
          key={folder}
          level={data}
          lastFolder={lastFolder}
          onShowAll={() => setForm("table")}
        />
      )}
      {data.totals.sizeBytes > 0 && form === "table" && <PartsTable key={folder} level={data} />}
    </section>
  );
}

/** The folder that was shown before this one. Empty: there was none. */
function useLastFolder(folder: string): string {
  const [folders, setFolders] = useState({ shown: folder, last: "" });
  if (folders.shown !== folder) setFolders({ shown: folder, last: folders.shown });
  return folders.last;
}

interface HeaderProps {
  readonly level: FolderLevel;
  readonly form: Form;
  readonly onForm: (form: Form) => void;
}

function ChartHeader({ level: { totals }, form, onForm }: HeaderProps) {
  const names: Readonly<Record<Form, string>> = { map: texts.asMap, table: texts.asTable };
  return (
    <header className="space-header">
      <h2>{texts.label}</h2>
      <p role="status">
        <bdi>{texts.total(formatSize(totals.sizeBytes), formatUploads(totals.uploadCount))}</bdi>
      </p>
      <fieldset className="space-forms">
        <legend className="unseen">{texts.form}</legend>
        {forms.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={form === name}
            onClick={() => onForm(name)}
          >
            {names[name]}
          </button>
        ))}
      </fieldset>
    </header>
  );
}
