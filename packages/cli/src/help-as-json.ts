import type { Command, Help } from 'commander';

/** Returns the help of a command as JSON text. */
export function helpAsJson(command: Command, help: Help): string {
  const value = {
    usage: help.commandUsage(command),
    description: help.commandDescription(command),
    arguments: help.visibleArguments(command).map(argument => ({
      name: argument.name(),
      required: argument.required,
    })),
    options: [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(option => ({
      flags: option.flags,
      description: option.description,
    })),
    commands: help.visibleCommands(command).map(inner => ({
      name: inner.name(),
      aliases: inner.aliases(),
      description: inner.description(),
    })),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}
