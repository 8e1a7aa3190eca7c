import { Command } from "commander";

/**
 * A command that another program understands: all that follows its name is that program's, `--help`
 * included.
 */
export function passedThrough(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .usage("[options]")
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .argument("[parameters...]");
}
