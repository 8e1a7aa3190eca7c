/** Aliases, derived files and metadata of an upload. */
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { strings } from "../text/strings.ts";
import { JsonTree } from "./json-tree.tsx";
import { type Related, relatedOfAlias, relatedOfMetaUpload } from "./related-facts.ts";

export function RelatedLists({ upload }: { readonly upload: Upload }) {
  const { aliases, metaUploads, intentMetadata } = upload;
  const nowMs = Date.now();
  return (
    <>
      <RelatedList
        title={strings.facts.aliases}
        items={aliases.map((alias) => relatedOfAlias(alias, nowMs))}
      />
      <RelatedList title={strings.facts.metaUploads} items={metaUploads.map(relatedOfMetaUpload)} />
      {Object.keys(intentMetadata).length > 0 && (
        <section className="upload-section">
          <h3>{strings.facts.metadata}</h3>
          <JsonTree value={intentMetadata} />
        </section>
      )}
    </>
  );
}

function RelatedList({
  title,
  items,
}: {
  readonly title: string;
  readonly items: readonly Related[];
}) {
  if (items.length === 0) return null;
  return (
    <section className="upload-section">
      <h3>{title}</h3>
      <ul className="upload-related">
        {items.map(({ id, name, href, notes }) => (
          <li key={id}>
            {href === undefined ? (
              <bdi>{name}</bdi>
            ) : (
              <a href={href} rel="noreferrer" target="_blank">
                <bdi>{name}</bdi>
              </a>
            )}
            {notes.map((note) => (
              <p key={note}>
                <bdi>{note}</bdi>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
