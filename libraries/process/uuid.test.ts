import assert from "node:assert/strict";
import { it } from "node:test";
import { isLowerCaseUuid, isUuid } from "./uuid.ts";

const id = "0190a1b2-c3d4-7e5f-8a6b-0123456789ab";
const texts: [text: string, isUuid: boolean, isLowerCase: boolean][] = [
  [id, true, true],
  [id.toUpperCase(), true, false],
  [`${id}\n`, false, false],
  [` ${id}`, false, false],
  [id.slice(1), false, false],
  [id.replaceAll("-", ""), false, false],
  [id.replace("a", "g"), false, false],
  [`{${id}}`, false, false],
  ["", false, false],
];
for (const [text, either, lower] of texts) {
  it(`${JSON.stringify(text)} is a UUID: ${either}, in lower case: ${lower}`, () => {
    assert.deepEqual([isUuid(text), isLowerCaseUuid(text)], [either, lower]);
  });
}
