/**
 * The view that the reader returns to after signing in. If its address is too long to be taken
 * along, this tab keeps it meanwhile.
 */

/** The page's server keeps no longer path. Letters outside ASCII take 6 to 12 characters each. */
const returnCharactersMax = 2000;

/** Stands for the view that the tab keeps. */
const keptViewPath = "/?kept";
const storageKey = "stowage-view";

function currentView(): string {
  const { pathname, search } = window.location;
  return `${pathname}${search}`;
}

/** Where a sign-in leads to. Needs `keepView()` before the reader leaves. */
export function returnPath(): string {
  const view = currentView();
  return view.length > returnCharactersMax ? keptViewPath : view;
}

/** Keeps the view if its address is too long to be taken along. */
export function keepView(): void {
  if (returnPath() === keptViewPath) sessionStorage.setItem(storageKey, currentView());
}

/** At a sign-out: the next person in this tab must not get the view. */
export function forgetView(): void {
  sessionStorage.removeItem(storageKey);
}

/** Shows the view that was kept, if the reader comes back for it. It is kept no longer. */
export function restoreView(): void {
  if (currentView() === keptViewPath) {
    window.history.replaceState(null, "", sessionStorage.getItem(storageKey) ?? "/");
  }
  forgetView();
}
