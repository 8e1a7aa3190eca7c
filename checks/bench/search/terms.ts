/** The terms that are searched for: of every length, found often, rarely and never. */

export interface Term {
  readonly kind: string;
  /** None: the same lists without a search, for comparison. */
  readonly text: string | undefined;
}

export const noSearch: Term = { kind: "no search", text: undefined };

const textsOfKind: Readonly<Record<string, readonly string[]>> = {
  "1 character": ["e", "q", "7", "_", "ü"],
  "2 characters": ["01", "xq", "zz", "_8", "fj"],
  common: ["report", ".pdf", "img_", "scan-", "2024", "readme"],
  between: ["lighthouse", "invoice-2021", "changelog.debian.gz", "libreoffice", "naïve"],
  rare: ["quokka", "vexillology", "kde4", "scan-004711"],
  absent: ["qqqq", "no such name", "%_\\"],
  "ends so": ["*.pdf", "*.tar.gz", "*quokka*.docx"],
  "begins so": ["report*", "IMG_1*", "zz*"],
  pattern: ["a?c", "*", "img_10?1*.jpg", "*2019*.pdf"],
  "other script": ["写真", "ÜBERSICHT"],
};

/** Forty. */
export const terms: readonly Term[] = Object.entries(textsOfKind).flatMap(([kind, texts]) =>
  texts.map((text) => ({ kind, text })),
);
