import type { Command } from 'commander'
import { type Source, SourceResponse, SourceList } from '../api-shapes.ts'
import { askFirst } from '../confirm.ts'
import { CommandError } from '../failures.ts'
import { addPersonOptions, type PersonOptions, signIn } from '../person.ts'
import { nameSources } from '../source-names.ts'
import { printableLine } from '../terminal.ts'
import { sourceIdArgument } from './options.ts'
import { openSession, printJson } from './session.ts'

/** `sources pause|resume|delete`: actions that the API allows users, not keys. */
export function addChangeCommands(sources: Command): void {
  addPersonOptions(sources.command('pause'))
    .description('stop syncing a source; its items stay searchable')
    .addArgument(sourceIdArgument())
    .action((id: string, options: PersonOptions, command: Command) =>
      setStatus(id, { ...options, status: 'disabled' }, command),
    )
  addPersonOptions(sources.command('resume'))
    .description('resume syncing a paused source')
    .addArgument(sourceIdArgument())
    .action((id: string, options: PersonOptions, command: Command) =>
      setStatus(id, { ...options, status: 'active' }, command),
    )
  addPersonOptions(sources.command('delete'))
    .description('delete a source and its items')
    .addArgument(sourceIdArgument())
    .option('-y, --yes', 'do not ask for confirmation')
    .action(deleteSource)
}

async function setStatus(
  id: string,
  options: PersonOptions & { status: 'active' | 'disabled' },
  command: Command,
): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const { person } = await signIn(client.url, options)
  const changed = await person.call(SourceResponse, {
    method: 'PATCH',
    path: `/v1/console/sources/${id}`,
    body: { status: options.status },
  })
  if (json) return printJson(terminal, changed)
  const done = options.status === 'disabled' ? 'Paused' : 'Resumed'
  terminal.print(`${done} ${describe(changed.source)}; its status is now "${changed.source.status}"`)
}

async function deleteSource(
  id: string,
  options: PersonOptions & { yes?: boolean },
  command: Command,
): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const { person } = await signIn(client.url, options)
  const { sources } = await person.call(SourceList, { method: 'GET', path: '/v1/console/sources' })
  const source = sources.find((one) => one.id === id)
  if (!source) throw new CommandError(`There is no source ${id} in this workspace; "sources list" shows all`)
  const described = `"${nameSources(sources).get(id)}" (${source.provider})`
  if (options.yes !== true) {
    const question = `Delete ${described} with its ${source.sourceItemCount} items? This cannot be undone.`
    await askFirst(terminal, question, 'Nothing was deleted')
  }
  const deleted = await person.call(SourceResponse, { method: 'DELETE', path: `/v1/console/sources/${id}` })
  if (json) return printJson(terminal, deleted)
  terminal.print(`Deleted ${described} with its ${deleted.source.sourceItemCount} items`)
}

const describe = ({ displayName, provider }: Source): string =>
  `"${printableLine(displayName)}" (${provider})`
