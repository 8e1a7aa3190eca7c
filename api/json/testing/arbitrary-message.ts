import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type Message,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";

/**
 * Random messages of a type, for property tests: each field set or left out, oneofs with every
 * member, maps, structs, and trees of a few levels. Values are those the contract allows: integers
 * within ±(2^53-1), known enumeration members, storable text, timestamps of the years 0001 to 9999.
 */
export function arbitraryMessage<Desc extends DescMessage>(
  schema: Desc,
): fc.Arbitrary<MessageShape<Desc>> {
  return arbitraryOf(schema, 4) as fc.Arbitrary<MessageShape<Desc>>;
}

function arbitraryOf(schema: DescMessage, levels: number): fc.Arbitrary<Message> {
  const members = schema.members.map((member) =>
    member.kind === "oneof"
      ? fc
          .option(fc.oneof(...member.fields.map((field) => arbitraryCase(field, levels))))
          .map((value) => [member.localName, value ?? { case: undefined }] as const)
      : fc
          .option(arbitraryField(member, levels))
          .map((value) => [member.localName, value ?? undefined] as const),
  );
  return fc
    .tuple(...members)
    .map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined)))
    .map((init) => create(schema, init));
}

function arbitraryCase(field: DescField, levels: number): fc.Arbitrary<unknown> {
  return arbitraryField(field, levels).map((value) => ({ case: field.localName, value }));
}

function arbitraryField(field: DescField, levels: number): fc.Arbitrary<unknown> {
  // Deeper messages are left out, or lists of messages would grow without end.
  if (field.message !== undefined && levels === 0) return fc.constant(null);
  if (field.fieldKind === "list") {
    return fc.array(arbitraryElement(field, levels), { maxLength: 2 });
  }
  if (field.fieldKind === "map") {
    return fc.dictionary(arbitraryText, arbitraryElement(field, levels), { maxKeys: 2 });
  }
  return arbitraryElement(field, levels);
}

function arbitraryElement(field: DescField, levels: number): fc.Arbitrary<unknown> {
  if (field.enum !== undefined) return arbitraryEnum(field.enum);
  if (field.message === undefined) return arbitraryScalar(field.scalar);
  switch (field.message.typeName) {
    case "google.protobuf.Timestamp":
      return arbitraryTimestamp;
    case "google.protobuf.Struct":
      return arbitraryStruct;
    default:
      return arbitraryOf(field.message, levels - 1);
  }
}

const arbitraryText = fc.oneof(
  fc
    .string({ unit: "binary", maxLength: 8 })
    .filter((text) => text.isWellFormed() && !text.includes("\0")),
  fc.constantFrom("", "__proto__", "constructor", "naïve/ü😀", "%_\\"),
);

const arbitraryTimestamp = fc
  .tuple(
    fc.oneof(
      fc.bigInt(-62_135_596_800n, 253_402_300_799n),
      fc.constantFrom(-62_135_596_800n, 253_402_300_799n, -1n, 0n),
    ),
    fc.constantFrom(0, 1, 1_000, 1_000_000, 999_999_999, 120_000_000),
  )
  .map(([seconds, nanos]) => create(TimestampSchema, { seconds, nanos }));

const arbitraryStruct = fc.dictionary(
  arbitraryText,
  fc.jsonValue({ maxDepth: 3 }).filter(isStorable),
  { maxKeys: 3 },
);

function isStorable(json: unknown): boolean {
  // JSON.stringify writes -0 as 0.
  const text = JSON.stringify(json, (_, value) => (Object.is(value, -0) ? "\0" : value));
  return !text.includes("\\u0000") && !/\\ud[89a-f]/.test(text);
}

function arbitraryEnum(schema: DescEnum): fc.Arbitrary<number> {
  return fc.constantFrom(...schema.values.map((value) => value.number));
}

function arbitraryScalar(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return arbitraryText;
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT32:
      return fc.integer();
    case ScalarType.INT64:
      return fc.maxSafeInteger().map(BigInt);
    case ScalarType.DOUBLE:
      // JSON has no sign of zero.
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    default:
      throw new Error(`Cannot make random values: got ${ScalarType[type]}, which no message has`);
  }
}
