/** Settings that this browser keeps. If it refuses to, they last as long as the page. */

const unkept = new Map<string, string>();

/** Null if the reader has not changed it. */
export function readSetting(name: string): string | null {
  const text = unkept.get(name);
  if (text !== undefined) return text;
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keepSetting(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
    unkept.delete(name);
  } catch {
    unkept.set(name, text);
  }
}
