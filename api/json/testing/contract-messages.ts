import { globSync } from "node:fs";
import type { DescFile, DescMessage } from "@bufbuild/protobuf";

const generated = new URL("../../generated/", import.meta.url);

/** Every message type of the contract, nested ones included. */
export const contractMessages: readonly DescMessage[] = await readContract();

async function readContract(): Promise<DescMessage[]> {
  const paths = globSync("**/*_pb.ts", { cwd: generated }).sort();
  const modules = await Promise.all(paths.map((path) => import(new URL(path, generated).href)));
  const files = modules.flatMap((module) =>
    Object.values(module).filter((value): value is DescFile => (value as DescFile).kind === "file"),
  );
  return files.flatMap((file) => file.messages.flatMap(withNested));
}

function withNested(message: DescMessage): DescMessage[] {
  return [message, ...message.nestedMessages.flatMap(withNested)];
}
