/** The parts of a name, alternately outside and inside matches: `["re", "port", "s"]`. */
export function markedParts(name: string, text: string): readonly string[] {
  if (text === "") return [name];
  // As the service compares: composed, without case.
  const whole = name.normalize("NFC");
  const folded = whole.toLowerCase();
  const wanted = text.normalize("NFC").toLowerCase();
  // A few characters change their length in lower case: positions differ, and nothing is marked.
  if (folded.length !== whole.length) return [name];
  const parts: string[] = [];
  let end = 0;
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, end)) {
    parts.push(whole.slice(end, at), whole.slice(at, at + wanted.length));
    end = at + wanted.length;
  }
  return [...parts, whole.slice(end)];
}
