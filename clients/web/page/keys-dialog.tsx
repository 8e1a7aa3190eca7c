import "./keys-dialog.css";
import { type RefObject, useId } from "react";
import { strings } from "../text/strings.ts";
import { keyGroups } from "./keys.ts";

export function KeysDialog({ ref }: { readonly ref: RefObject<HTMLDialogElement | null> }) {
  const titleId = useId();
  return (
    <dialog ref={ref} className="keys-dialog" aria-labelledby={titleId} closedby="any">
      <form method="dialog">
        <header>
          <h2 id={titleId}>{strings.keys.title}</h2>
          <button type="submit">{strings.keys.close}</button>
        </header>
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
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </form>
    </dialog>
  );
}
