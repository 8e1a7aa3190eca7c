import { create } from "@bufbuild/protobuf";
import {
  type TextFilter,
  TextFilterSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";

type Rule = Exclude<TextFilter["rule"], { case: undefined }>["case"];

/** Reads a rule of the command line: `prefix:/photos`, `*.pdf`, `holiday`. */
export function textFilterOf(text: string, caseSensitive: boolean): TextFilter {
  const named = /^(equals|prefix|contains|glob):(.*)$/s.exec(text);
  const rule = named
    ? { case: named[1] as Rule, value: named[2] ?? "" }
    : { case: /[*?]/.test(text) ? ("glob" as const) : ("contains" as const), value: text };
  return create(TextFilterSchema, { rule, caseSensitive });
}
