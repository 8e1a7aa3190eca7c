import "./keys-dialog.css";
import { type RefObject, useId } from "react";
import { strings } from "../text/strings.ts";
import { setCharacterKeys, useCharacterKeys } from "./character-keys.ts";
import { characterKeys, keyGroups } from "./keys.ts";

export function KeysDialog({ ref }: { readonly ref: RefObject<HTMLDialogElement | null> }) {
  const titleId = useId();
  const hasCharacterKeys = useCharacterKeys();
  const isOff = (keys: readonly string[]) =>
    !hasCharacterKeys && keys.some((key) => characterKeys.includes(key));
  return (
    <dialog ref={ref} className="keys-dialog" aria-labelledby={titleId} closedby="any">
      <form method="dialog">
        <header>
          <h2 id={titleId}>{strings.keys.title}</h2>
          <button type="submit">{strings.keys.close}</button>
        </header>
        <label className="keys-switch">
          <input
            type="checkbox"
            checked={hasCharacterKeys}
            onChange={(event) => setCharacterKeys(event.target.checked)}
          />
          {strings.keys.useCharacters(characterKeys.join(" "))}
        </label>
        {keyGroups.map(({ title, rows }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(({ keys, does }) => (
                <div key={does}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{isOff(keys) ? strings.keys.off(does) : does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </form>
    </dialog>
  );
}
