import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import type { Address } from "../address/address.ts";
import { AddressLink } from "../address/address-link.tsx";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { type Fact, factsOf } from "./upload-facts.ts";

interface Props {
  readonly upload: Upload;
  /** Where the page's server gives out the content; undefined if no source has it. */
  readonly contentAddress: string | undefined;
}

export function FactList({ upload, contentAddress }: Props) {
  return (
    <section className="upload-section" aria-label={strings.facts.label}>
      <dl className="upload-facts">
        <div>
          <dt>{strings.facts.folder}</dt>
          <dd>
            <AddressLink change={openingFolderOf(upload)}>
              <bdi>{formatName(upload.path)}</bdi>
            </AddressLink>
          </dd>
        </div>
        {factsOf(upload, contentAddress).map((fact) => (
          <div key={fact.label}>
            <dt>{fact.label}</dt>
            <FactValues {...fact} />
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The panel stays open. */
function openingFolderOf({ path }: Upload): Partial<Address> {
  return { folder: path, query: "", isRecursive: false, view: "list" };
}

function FactValues({ values, href }: Fact) {
  return values.map((value) => (
    <dd key={value}>
      {href === undefined ? (
        <bdi>{value}</bdi>
      ) : (
        <a href={href} rel="noreferrer" target="_blank">
          <bdi>{value}</bdi>
        </a>
      )}
    </dd>
  ));
}
