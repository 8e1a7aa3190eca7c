/** What the panel says about an upload. Facts that are empty are left out. */
import type { UserReference } from "@stowage/api/svc/api/v1/references_pb";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { formatCount, formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { formatExactSize, formatExactTime } from "./exact-formats.ts";

export interface Fact {
  readonly label: string;
  /** Ready to be shown. Several values stand for themselves, such as tags. */
  readonly values: readonly string[];
  /** Where the value leads to; undefined if it leads nowhere. */
  readonly href?: string | undefined;
}

const texts = strings.facts;

/**
 * @param contentAddress where the page's server gives out the content. Without it, `contentUrl` is
 *   shown; that of a mirrored upload leads to the uploads service, which wants a token.
 */
export function factsOf(upload: Upload, contentAddress = upload.contentUrl): readonly Fact[] {
  const { createdAt, updatedAt, integration } = upload;
  const facts: readonly Fact[] = [
    { label: texts.size, values: [formatExactSize(upload.sizeBytes)] },
    { label: texts.type, values: [texts.types[upload.type] ?? ""] },
    { label: texts.createdAt, values: [createdAt === undefined ? "" : formatExactTime(createdAt)] },
    { label: texts.updatedAt, values: [updatedAt === undefined ? "" : formatExactTime(updatedAt)] },
    { label: texts.author, values: [nameOf(upload.author)] },
    { label: texts.lastModifiedBy, values: [nameOf(upload.lastModifiedBy)] },
    { label: texts.tags, values: upload.tags.map(formatName) },
    { label: texts.description, values: [upload.generatedDescription] },
    { label: texts.descriptionSource, values: [formatName(upload.aiDescriptionInputRef)] },
    {
      label: texts.integration,
      values: [formatName(integration?.name || upload.integrationId)],
      href: webHref(integration?.folderLinkUrl ?? ""),
    },
    { label: texts.address, values: [formatName(upload.url)], href: webHref(upload.url) },
    {
      label: texts.contentAddress,
      values: [formatName(contentAddress)],
      href: webHref(contentAddress),
    },
    { label: texts.externalPath, values: [formatName(upload.externalPath)] },
    { label: texts.slug, values: [upload.slug === upload.filename ? "" : formatName(upload.slug)] },
    { label: texts.extension, values: [extensionOf(upload)] },
    { label: texts.order, values: [upload.order === 0 ? "" : formatCount(upload.order)] },
    { label: texts.marks, values: marksOf(upload) },
    { label: texts.generations, values: generationsOf(upload) },
    { label: texts.uploadId, values: [formatName(upload.uploadId)] },
  ];
  return facts
    .map((fact) => ({ ...fact, values: fact.values.filter((value) => value !== "") }))
    .filter(({ values }) => values.length > 0);
}

function nameOf(user: UserReference | undefined): string {
  if (user === undefined) return "";
  return texts.userOf(formatName(user.username), user.userId.toString());
}

function extensionOf({ allowAnyExtension, defaultSlugExtension }: Upload): string {
  const any = allowAnyExtension ? texts.anyExtension : "";
  return [formatName(defaultSlugExtension), any].filter((text) => text !== "").join(", ");
}

function marksOf(upload: Upload): readonly string[] {
  return [
    upload.private ? texts.private : "",
    upload.isVirtualFile ? texts.virtualFile : "",
    upload.integrationHidden ? texts.integrationHidden : "",
  ];
}

function generationsOf(upload: Upload): readonly string[] {
  const versions: readonly (readonly [what: string, version: number])[] = [
    [texts.thumbnail, upload.thumbnailGenerationVersion],
    [texts.generatedDescription, upload.aiDescriptionGenerationVersion],
    [texts.generatedTags, upload.aiTagsGenerationVersion],
    [texts.virusScan, upload.virusScanGenerationVersion],
  ];
  return versions.map(([what, version]) =>
    version === 0 ? "" : texts.generation(what, version.toString()),
  );
}

/** Addresses come from imports: one of any other scheme could run script, so it is no link. */
export function webHref(address: string): string | undefined {
  const url = URL.parse(address);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : undefined;
}
