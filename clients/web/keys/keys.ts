/** Every key that the page knows: the page acts on the first group, and the dialog shows all. */
import { strings } from "../text/strings.ts";

export type PageAction = "search" | "close" | "next" | "previous" | "parent" | "keys";

/** The keys that work wherever the focus is. */
const pageKeys: Readonly<Record<string, PageAction>> = {
  "/": "search",
  Escape: "close",
  n: "next",
  p: "previous",
  Backspace: "parent",
  "?": "keys",
};

/** Those of them that type a character. */
export const characterKeys = Object.keys(pageKeys).filter(isCharacter);

function isCharacter(key: string): boolean {
  return key.length === 1;
}

export interface KeyPress {
  readonly key: string;
  readonly hasModifier: boolean;
  /** Whether the focus is where text is typed. */
  readonly isInText: boolean;
  /** Whether the control that has the focus has used the key already. */
  readonly isUsed: boolean;
  /** Whether a dialog, menu or list is open, which closes by itself. */
  readonly isOverlayOpen: boolean;
  /** Whether keys that type a character are shortcuts. */
  readonly hasCharacterKeys: boolean;
}

/** Undefined: the page does nothing. */
export function pageActionOf(press: KeyPress): PageAction | undefined {
  if (press.hasModifier || press.isUsed || press.isOverlayOpen) return undefined;
  if (isCharacter(press.key) && !press.hasCharacterKeys) return undefined;
  const action = Object.hasOwn(pageKeys, press.key) ? pageKeys[press.key] : undefined;
  return press.isInText && action !== "close" ? undefined : action;
}

interface KeyGroup {
  readonly title: string;
  readonly rows: readonly { readonly keys: readonly string[]; readonly does: string }[];
}

const { keys } = strings;

export const keyGroups: readonly KeyGroup[] = [
  {
    title: keys.anywhere,
    rows: Object.entries(pageKeys).map(([key, action]) => ({
      keys: [key],
      does: keys.actions[action],
    })),
  },
  {
    title: strings.folders.label,
    rows: [
      { keys: ["↑", "↓", "Home", "End"], does: keys.move },
      { keys: ["→", "←"], does: keys.expandCollapse },
      { keys: ["Space"], does: keys.toggle },
      { keys: ["Enter"], does: keys.openFolder },
      { keys: ["A … Z"], does: keys.typeahead },
    ],
  },
  {
    title: strings.uploads.label,
    rows: [
      { keys: ["↑", "↓", "Home", "End"], does: keys.move },
      { keys: ["Enter"], does: keys.openUpload },
      { keys: ["Space"], does: keys.select },
    ],
  },
];
