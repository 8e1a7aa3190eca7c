import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseXml, XmlError } from "./parse-xml.ts";

interface Tree {
  readonly name: string;
  readonly content: string | readonly Tree[];
}

const allNames = ["Key", "Contents", "ListBucketResult", "s3:Tag", "a.b-c"];
const names = fc.constantFrom(...allNames);
const texts = fc.string({ unit: "binary", maxLength: 8 });
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record(
    {
      name: names,
      content: fc.oneof({ maxDepth: 4 }, texts, fc.array(tie("tree"), { minLength: 1 })),
    },
    { noNullPrototype: true },
  ),
}));

/** How the parts of a document are written: the same element has many forms. */
const spellings = fc.infiniteStream(fc.nat({ max: 5 }));

function write({ name, content }: Tree, next: () => number): string {
  const attributes = ["", "", ' x="1/>"', " a = '\"' b='>'", "\n", " "][next()];
  const spaces = ["", "", "", "\n  ", "<!-- <Key> -->", "<?pi <?>"];
  if (content === "" && next() < 3) return `<${name}${attributes}/>`;
  const inner =
    typeof content === "string"
      ? writeText(content, next)
      : content.map((child) => spaces[next()] + write(child, next)).join("") + spaces[next()];
  return `<${name}${attributes}>${inner}</${name}${[" ", "", "", "", "", ""][next()]}>`;
}

const references = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

function writeText(text: string, next: () => number): string {
  const isData = next() === 5 && !text.includes("]]>");
  if (isData) return `<![CDATA[${text}]]>`;
  const written = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    const named = references[character as keyof typeof references];
    const forms = [`&#${code};`, `&#x${code.toString(16)};`];
    return forms[next()] ?? named ?? character;
  });
  return written.join("");
}

function parse(xml: string): Tree {
  const treeOf = ({ name, text, children }: ReturnType<typeof parseXml>): Tree => ({
    name,
    content: children?.map(treeOf) ?? text,
  });
  return treeOf(parseXml(xml, allNames));
}

describe("an XML document", () => {
  it("is read as it was written, in every spelling", () => {
    fc.assert(
      fc.property(tree, spellings, (written, stream) => {
        const next = () => stream.next().value as number;
        const prolog = ["", '<?xml version="1.0"?>', '<?xml version="1.0"?>\n', "", "", ""][next()];
        assert.deepEqual(parse(`${prolog}${write(written, next)}\n`), written);
      }),
      { numRuns: 2000 },
    );
  });

  it("is refused if it is cut off anywhere", () => {
    fc.assert(
      fc.property(tree, spellings, fc.nat(), (written, stream, cut) => {
        const xml = write(written, () => stream.next().value as number);
        assert.throws(() => parseXml(xml.slice(0, cut % xml.length), allNames), XmlError);
      }),
      { numRuns: 2000 },
    );
  });

  const refused: [what: string, xml: string, message: RegExp][] = [
    ["a page for people", "<!doctype html>\n<html><br></html>", /is <html> in place of <A> or <B>/],
    ["another element", "<Error/>", /is <Error> in place of/],
    ["text", '{"error":"no"}', /cut off/],
    ["nothing", "", /cut off/],
    ["an end without a start", "</A>", /has <\/A>/],
    ["an end that is empty", "<A><B></B/>", /cut off/],
    ["an element that ends in another", "<A><B></A></B>", /has <\/A> where <B> should end/],
    ["two roots", "<A/><B/>", /more than <A>/],
    ["text after the root", "<A/>text", /more than <A>/],
    ["an unknown reference", "<A>&nbsp;</A>", /unknown character &nbsp;/],
    ["a number that is no character", "<A>&#x110000;</A>", /unknown character &#x110000;/],
  ];
  for (const [what, xml, message] of refused) {
    it(`is refused if it is ${what}`, () => {
      assert.throws(() => parseXml(xml, ["A", "B"]), { name: "XmlError", message });
    });
  }
});
