/**
 * Whether keys that type a character, such as `/`, are shortcuts. This browser remembers it. Speech
 * input types characters, so people must be able to switch these shortcuts off (WCAG 2.1.4).
 */
import { useSyncExternalStore } from "react";
import { keepSetting, readSetting } from "../settings/kept-settings.ts";

const settingName = "stowage-character-keys";

/** Announces changes in this tab: the browser announces only those of other tabs. */
const changes = new EventTarget();

function subscribe(onChange: () => void): () => void {
  window.addEventListener("storage", onChange);
  changes.addEventListener("change", onChange);
  return () => {
    window.removeEventListener("storage", onChange);
    changes.removeEventListener("change", onChange);
  };
}

export function useCharacterKeys(): boolean {
  return useSyncExternalStore(subscribe, () => readSetting(settingName) !== "off");
}

export function setCharacterKeys(isOn: boolean): void {
  keepSetting(settingName, isOn ? "on" : "off");
  changes.dispatchEvent(new Event("change"));
}
