/** What the panel says about further links to an upload, and about files derived from it. */
import type { Alias, MetaUpload } from "@stowage/api/svc/api/v1/upload_pb";
import { formatCount, formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { formatExactTime } from "./exact-formats.ts";
import { webHref } from "./upload-facts.ts";
import { pathOf } from "./upload-path.ts";

/** Something that belongs to an upload. */
export interface Related {
  readonly id: string;
  readonly name: string;
  readonly href: string | undefined;
  /** Sentences about it. */
  readonly notes: readonly string[];
}

const texts = strings.facts;

export function relatedOfAlias(alias: Alias, nowMs: number): Related {
  const { expiresAt, createdAt, allowedUserIds } = alias;
  return {
    id: alias.aliasId,
    name: formatName(pathOf({ path: alias.path, filename: alias.slug })),
    href: webHref(alias.url),
    notes: [
      expiresAt === undefined ? "" : expiryOf(expiresAt, nowMs),
      alias.hasPassword ? texts.needsPassword : "",
      usesOf(alias),
      allowedUserIds.length === 0 ? "" : texts.onlyFor(allowedUserIds.join(", ")),
      createdAt === undefined ? "" : texts.created(formatExactTime(createdAt)),
      alias.externalPath === "" ? "" : `${texts.externalPath}: ${formatName(alias.externalPath)}`,
    ].filter((note) => note !== ""),
  };
}

function expiryOf(expiresAt: NonNullable<Alias["expiresAt"]>, nowMs: number): string {
  const time = formatExactTime(expiresAt);
  return Number(expiresAt.seconds) * 1000 <= nowMs ? texts.expired(time) : texts.expires(time);
}

function usesOf({ useCount, maxUses }: Alias): string {
  if (maxUses > 0) return texts.usesOf(formatCount(useCount), formatCount(maxUses));
  return useCount === 0 ? "" : texts.uses(formatCount(useCount));
}

export function relatedOfMetaUpload({ type, metadataId, downloadUrl }: MetaUpload): Related {
  const kind = texts.metaTypes[type?.type ?? 0] ?? "";
  const number = type === undefined || type.n === 0 ? "" : formatCount(type.n);
  return {
    id: metadataId,
    name: formatName(type?.filename || metadataId),
    href: webHref(downloadUrl),
    notes: [[kind, number].filter((text) => text !== "").join(" ")].filter((note) => note !== ""),
  };
}
