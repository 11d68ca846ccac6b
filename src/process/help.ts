import { settingsSchema } from '../config.ts'

const WIDTH = 100
const INDENT = ' '.repeat(6)

/** What `start` prints instead of starting: its help, or an unknown argument; undefined: start. */
export function answerArguments(args: readonly string[]): { text: string; exitCode: number } | undefined {
  const [first] = args
  if (first === undefined) return undefined
  if (first === '--help' || first === '-h') return { text: usage(), exitCode: 0 }
  return {
    text: `unknown argument "${first}": settings are environment variables, such as PORT=9000 npm start. See npm start -- --help\n`,
    exitCode: 2,
  }
}

function usage(): string {
  const settings = Object.entries(settingsSchema.shape).map(
    ([name, { description = '' }]) => `  ${name}\n${wrap(description)}\n`,
  )
  return `Usage: npm start

Starts the Retrieval Memory Service at http://127.0.0.1:8787 until Ctrl-C. It takes no arguments: every setting is an
optional environment variable, for example

  PORT=9000 DATA_DIR=/var/lib/memory npm start

docs/reference/settings.md lists the defaults. To fill and search the memory, see npm run memory -- --help.

Settings:

${settings.join('')}`
}

function wrap(text: string): string {
  const lines = [INDENT]
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)}${lines.at(-1) === INDENT ? '' : ' '}${word}`
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer
    else lines.push(`${INDENT}${word}`)
  }
  return lines.join('\n')
}
