/** Does what `keys/keys.ts` says. */
import { useEffect, useEffectEvent } from "react";
import { openingOf } from "../address/address.ts";
import { go, useAddress } from "../address/use-address.ts";
import { isTextControl } from "../focus/is-text-control.ts";
import { parentOf } from "../folders/folder-path.ts";
import { useCharacterKeys } from "../keys/character-keys.ts";
import { type PageAction, pageActionOf } from "../keys/keys.ts";
import { isComposing } from "../text/is-composing.ts";

export function usePageKeys(showKeys: () => void): void {
  const { address } = useAddress();
  const hasCharacterKeys = useCharacterKeys();
  const actions: Readonly<Record<PageAction, () => void>> = {
    search: () => document.querySelector<HTMLInputElement>(".header-search input")?.select(),
    close: () => {
      if (address.upload !== "") go({ upload: "" });
    },
    // Buttons of the panel, which knows where they lead.
    next: () => document.querySelector<HTMLElement>(".upload-next")?.click(),
    previous: () => document.querySelector<HTMLElement>(".upload-previous")?.click(),
    parent: () => {
      if (address.folder !== "/") go(openingOf(parentOf(address.folder)));
    },
    keys: showKeys,
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const action = pageActionOf({
      key: event.key,
      hasModifier: event.ctrlKey || event.metaKey || event.altKey,
      isInText: isTextControl(event.target),
      isUsed: event.defaultPrevented || isComposing(event),
      isOverlayOpen: document.querySelector("dialog:modal, :popover-open") !== null,
      hasCharacterKeys,
    });
    if (action === undefined) return;
    event.preventDefault();
    actions[action]();
  });
  useEffect(() => {
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}
