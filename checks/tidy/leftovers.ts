import { homedir } from "node:os";
import { isHandwritten, type RepositoryFile, root } from "./repository.ts";

/** Text that must not be in a handwritten file, with the reason. */
const leftovers: { form: RegExp; problem: string }[] = [
  { form: /\.(?:only|skip|todo)\(/, problem: "a test that does not run proves nothing" },
  { form: /\b(?:TODO|FIXME|XXX|HACK)\b/, problem: "do it, or open an issue" },
];

/** Text that is true on one machine only. It must not be in generated files either. */
const placesOfOneMachine: { form: RegExp; problem: string }[] = [
  { form: /\bregistry\.[a-z0-9-]+\.[a-z]+/, problem: "the registry is each machine's own choice" },
  { form: /(?<![\w.])\/(?:home|Users)\/[a-z]/, problem: "a path of one machine" },
  ...[root, homedir()].map((path) => ({
    form: literal(`${path}/`),
    problem: "a path of one machine",
  })),
];

/** One line for every leftover. The files that define and test the rules are left out. */
export function leftoversOf(files: readonly RepositoryFile[]): readonly string[] {
  return files
    .filter(({ path }) => !/^checks\/tidy\/(?:leftovers|house-rules\.test)\.ts$/.test(path))
    .flatMap((file) => {
      const rules = isHandwritten(file)
        ? [...leftovers, ...placesOfOneMachine]
        : placesOfOneMachine;
      return file.text
        .split("\n")
        .flatMap((line, index) =>
          rules
            .filter(({ form }) => form.test(line))
            .map(({ problem }) => `${file.path}:${index + 1}: ${problem}`),
        );
    });
}

function literal(text: string): RegExp {
  return new RegExp(`(?<![\\w.])${RegExp.escape(text)}`);
}
