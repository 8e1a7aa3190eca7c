/** The form of an issuer's address, alike for the issuer and for all who accept its tokens. */
import type { Setting } from "./settings.ts";

/**
 * A row of an issuer's address, kept exactly as given. Tokens contain it, others append paths to
 * it, and all compare the text: so a loose form is refused, not corrected.
 */
export function issuerSetting<T extends string | undefined>(row: Setting<T>): Setting<T> {
  const schema = row.schema
    .refine((url) => !url?.endsWith("/"), { error: "an address without a slash at its end" })
    // A redirect to a path that begins with two slashes leads to another host.
    .refine((url) => !pathOf(url).includes("//"), {
      error: "an address without empty path segments",
    })
    .refine((url) => url === undefined || !isLooseHttpUrl(url), {
      error: "an address that begins with http:// or https:// in lower case",
    });
  return { ...row, schema };
}

/** The path as browsers read it. */
function pathOf(url = ""): string {
  return URL.parse(url)?.pathname ?? "";
}

/** Whether it is read as an http or https address, but is not written as one. */
function isLooseHttpUrl(url: string): boolean {
  return /^https?:/.test(URL.parse(url)?.protocol ?? "") && !/^https?:\/\/[^/\\]/.test(url);
}
