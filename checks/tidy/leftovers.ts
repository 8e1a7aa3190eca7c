import { homedir } from "node:os";
import { isHandwritten, type RepositoryFile, root } from "./repository.ts";

/** What must not stay behind in a file, with the reason. */
const leftovers: { form: RegExp; fault: string }[] = [
  { form: /\.(?:only|skip|todo)\(/, fault: "a test that does not run proves nothing" },
  { form: /\b(?:TODO|FIXME|XXX|HACK)\b/, fault: "do it, or write it down as an issue" },
];

/** What must not stand in any file, those of tools included: it is true on one machine only. */
const placesOfOneMachine: { form: RegExp; fault: string }[] = [
  { form: /\bregistry\.[a-z0-9-]+\.[a-z]+/, fault: "the registry is each machine's own choice" },
  { form: /(?<![\w.])\/(?:home|Users)\/[a-z]/, fault: "a path of one machine" },
  ...[root, homedir()].map((path) => ({
    form: literal(`${path}/`),
    fault: "a path of one machine",
  })),
];

/** One line for every leftover. The files that spell the rules out are not looked at. */
export function leftoversOf(files: readonly RepositoryFile[]): readonly string[] {
  return files
    .filter(({ path }) => !path.startsWith("checks/tidy/leftovers."))
    .flatMap((file) => {
      const rules = isHandwritten(file)
        ? [...leftovers, ...placesOfOneMachine]
        : placesOfOneMachine;
      return file.text
        .split("\n")
        .flatMap((line, index) =>
          rules
            .filter(({ form }) => form.test(line))
            .map(({ fault }) => `${file.path}:${index + 1}: ${fault}`),
        );
    });
}

function literal(text: string): RegExp {
  return new RegExp(`(?<![\\w.])${RegExp.escape(text)}`);
}
