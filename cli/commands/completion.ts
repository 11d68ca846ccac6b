import { Argument, type Command } from 'commander'
import { type CompletedCommand, COMPLETION_SCRIPTS, SHELLS, type Shell } from '../completion-scripts.ts'
import { openSession, printJson } from './session.ts'

/** `completion bash|zsh|fish`: prints a shell completion script. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', INSTALLATION)
    .action((shell: Shell, _options: unknown, command: Command) => {
      const { terminal, json } = openSession(command)
      const script = COMPLETION_SCRIPTS[shell](completedCommands(program))
      if (json) return printJson(terminal, { shell, script })
      terminal.write(script)
    })
}

const INSTALLATION = `
Load it where your shell starts:
  bash  source <(memory completion bash)                                   # in ~/.bashrc
  zsh   source <(memory completion zsh)                                    # in ~/.zshrc, after compinit
  fish  memory completion fish > ~/.config/fish/completions/memory.fish    # once
`

/** Every command with its possible next words, the program itself first. */
function completedCommands(program: Command): CompletedCommand[] {
  const globals = optionsOf(program)
  const collect = (command: Command, path: string[]): CompletedCommand[] => {
    const subcommands = command.commands.map((one) => ({ name: one.name(), description: one.description() }))
    const own = path.length === 0 ? [] : optionsOf(command)
    return [
      {
        path,
        words: [...subcommands, ...command.registeredArguments.flatMap(choicesOf)],
        options: [...own, ...globals, HELP],
      },
      ...command.commands.flatMap((one) => collect(one, [...path, one.name()])),
    ]
  }
  return collect(program, [])
}

const HELP = { names: ['--help'], description: 'display help for command', takesValue: false, choices: [] }

const choicesOf = ({ argChoices, description }: Argument): { name: string; description: string }[] =>
  (argChoices ?? []).map((name) => ({ name, description }))

function optionsOf(command: Command): CompletedCommand['options'] {
  return command.options.map((option) => ({
    names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  }))
}
