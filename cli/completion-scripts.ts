export interface CompletedCommand {
  /** The words that lead to it; empty for the program itself. */
  path: string[]
  /** Subcommands, and arguments with a fixed list of values. */
  words: { name: string; description: string }[]
  options: { names: string[]; description: string; takesValue: boolean; choices: readonly string[] }[]
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** Generates each shell's completion script. Commands without words of their own complete files. */
export const COMPLETION_SCRIPTS: Record<Shell, (commands: readonly CompletedCommand[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

const PROGRAM = 'memory'
const nameOf = ({ path }: CompletedCommand): string => path.join(' ')
/** Single-quoted in a form that all three shells accept. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The lines of a `case` over the command, in the syntax that bash and zsh share. */
function casesOf(
  commands: readonly CompletedCommand[],
  lineOf: (command: CompletedCommand) => string,
): string {
  return commands.map((command) => `    ${quoted(nameOf(command))}) ${lineOf(command)} ;;`).join('\n')
}

/** Values of options with a fixed list; the shell completes other values. */
function valueCases(commands: readonly CompletedCommand[], offer: (words: string) => string): string {
  const lines = new Map<string, string>()
  for (const command of commands)
    for (const { names, takesValue, choices } of command.options)
      for (const name of takesValue ? names : [])
        lines.set(
          `${nameOf(command)}|${name}`,
          `    ${quoted(`${nameOf(command)}|${name}`)}) ${choices.length > 0 ? `${offer(choices.join(' '))}; ` : ''}return ;;`,
        )
  return [...lines.values()].join('\n')
}

/** Sets `at` to the command named by the words before the cursor. */
function walk(commands: readonly CompletedCommand[], words: string): string {
  const known = commands.filter(({ path }) => path.length > 0).map((command) => quoted(nameOf(command)))
  return `  local at='' word next
  for word in ${words}; do
    next="\${at:+$at }$word"
    case "$next" in
    ${known.join('|')}) at=$next ;;
    esac
  done`
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const wordsOf = ({ words, options }: CompletedCommand): string =>
    [...words.map(({ name }) => name), ...options.flatMap(({ names }) => names)].join(' ')
  return `_${PROGRAM}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} words=''
${walk(commands, '"${COMP_WORDS[@]:1:COMP_CWORD - 1}"')}
  COMPREPLY=()
  case "$at|$previous" in
${valueCases(commands, (words) => `COMPREPLY=($(compgen -W ${quoted(words)} -- "$current"))`)}
  esac
  case "$at" in
${casesOf(commands, (command) => `words=${quoted(wordsOf(command))}`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${PROGRAM} ${PROGRAM}
`
}

/** A word with its description, for zsh's `_describe`. */
const entry = (name: string, description: string): string =>
  quoted(`${name.replaceAll(':', '\\:')}:${description}`)

function zshScript(commands: readonly CompletedCommand[]): string {
  const entriesOf = ({ words, options }: CompletedCommand): string =>
    [
      ...words.map(({ name, description }) => entry(name, description)),
      ...options.flatMap(({ names, description }) => names.map((name) => entry(name, description))),
    ].join(' ')
  return `#compdef ${PROGRAM}
_${PROGRAM}() {
  local -a entries
  local previous=\${words[CURRENT - 1]}
${walk(commands, '"${(@)words[2,CURRENT - 1]}"')}
  case "$at|$previous" in
${valueCases(commands, (words) => `compadd -- ${words}`).replaceAll('return ;;', 'return 0 ;;')}
  esac
  case "$at" in
${casesOf(commands, (command) => `entries=(${entriesOf(command)})`)}
  esac
  _describe ${PROGRAM} entries || _files
}
compdef _${PROGRAM} ${PROGRAM}
`
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const known = commands.filter(({ path }) => path.length > 0).map((command) => quoted(nameOf(command)))
  const lines = commands.flatMap((command) => {
    const when = `-n ${quoted(`__${PROGRAM}_at "${nameOf(command)}"`)}`
    return [
      ...command.words.map(
        ({ name, description }) =>
          `complete -c ${PROGRAM} ${when} -f -a ${quoted(name)} -d ${quoted(description)}`,
      ),
      ...command.options.map((option) => fishOption(option, when)),
    ]
  })
  return `function __${PROGRAM}_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$at $word")
    if contains -- "$next" ${known.join(' ')}
      set at $next
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

function fishOption(
  { names, description, takesValue, choices }: CompletedCommand['options'][number],
  when: string,
): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const value = takesValue ? ` -r${choices.length > 0 ? ` -f -a ${quoted(choices.join(' '))}` : ''}` : ''
  return `complete -c ${PROGRAM} ${when} ${flags.join(' ')}${value} -d ${quoted(description)}`
}
