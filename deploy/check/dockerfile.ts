import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { DockerfileParser, type Instruction as Parsed, ModifiableInstruction } from 'dockerfile-ast'

export interface Instruction {
  keyword: string
  /** Flags such as `from` of `COPY --from=build`. */
  flags: Record<string, string>
  /** What follows the flags, with the ARGs that were declared before it filled in. */
  text: string
  /** Of an instruction in JSON form, its strings; else its words. */
  words: string[]
}

export interface Stage {
  name: string
  from: string
  instructions: Instruction[]
}

/** The stages of a Dockerfile. @throws when there is an instruction before the first FROM that is no ARG */
export function readStages(text: string): Stage[] {
  const stages: Stage[] = []
  const variables: Record<string, string> = {}
  for (const parsed of DockerfileParser.parse(text).getInstructions()) {
    const instruction = read(parsed, variables)
    const [first = '', as, name] = instruction.words
    if (instruction.keyword === 'ARG') {
      const [variable = '', value = ''] = first.split('=', 2)
      variables[variable] = value
    } else if (instruction.keyword === 'FROM')
      stages.push({ name: as === undefined ? '' : (name ?? ''), from: first, instructions: [] })
    else {
      const stage = stages.at(-1)
      if (!stage) throw new Error(`${instruction.keyword} comes before FROM`)
      stage.instructions.push(instruction)
    }
  }
  return stages
}

function read(parsed: Parsed, variables: Readonly<Record<string, string>>): Instruction {
  const rest = (parsed.getArgumentsContent() ?? '').replaceAll(/\\\r?\n\s*/g, ' ').trim()
  const given = parsed instanceof ModifiableInstruction ? parsed.getFlags() : []
  const flags = Object.fromEntries(given.map((flag) => [flag.getName(), flag.getValue() ?? '']))
  const upper = parsed.getKeyword().toUpperCase()
  // A shell fills in its own.
  const text = upper === 'RUN' ? rest : rest.replaceAll(/\$\{(\w+)\}/g, (_, name) => variables[name] ?? '')
  const command = text.replace(/^CMD\s+/, '')
  const words: string[] = command.startsWith('[') ? JSON.parse(command) : text.split(/\s+/)
  return { keyword: upper, flags, text, words }
}

/** The files that a build sees, relative to `root`: what `.dockerignore` lets through. */
export async function contextFiles(root: string): Promise<string[]> {
  const rules = (await readFile(path.join(root, '.dockerignore'), 'utf8'))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const isIgnored = (file: string): boolean => {
    // Node's globs leave names with a dot in front alone, Docker's do not.
    const parts = undotted(file).split('/')
    const names = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    let ignored = false
    for (const rule of rules) {
      const pattern = undotted(rule.replace(/^!/, ''))
      if (names.some((name) => path.matchesGlob(name, pattern))) ignored = !rule.startsWith('!')
    }
    return ignored
  }
  const found: string[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name === 'node_modules' || entry.name === '.git' || (folder === '' && isIgnored(name)))
        continue
      if (entry.isDirectory()) await walk(name)
      else if (!isIgnored(name)) found.push(name)
    }
  }
  await walk('')
  return found.toSorted()
}

function undotted(name: string): string {
  return name.replaceAll(/(^|\/)\./g, '$1_')
}
