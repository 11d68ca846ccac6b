import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { Group, GroupResponse } from '../api-shapes.ts'
import { askFirst } from '../confirm.ts'
import { formatMoment, formatTable, printableLine } from '../terminal.ts'
import { listArgument } from './options.ts'
import { openSession, printJson } from './session.ts'

const PAGE = 200

/** `groups list|show|set|delete`. */
export function addGroupsCommand(program: Command): void {
  const groups = program
    .command('groups')
    .description('list, set and delete groups that access policies name (needs the action admin)')
  groups.command('list').description('list groups').action(listGroups)
  groups
    .command('show')
    .description('show the members of a group')
    .argument('<id>', 'its ID, from "groups list"', groupId)
    .action(showGroup)
  groups
    .command('set')
    .description('create a group, or replace all its members')
    .argument('<id>', 'the ID that access policies use', groupId)
    .requiredOption(
      '--members <list>',
      'email addresses, such as ada@example.com,grace@example.com',
      listArgument,
    )
    .option('--name <name>', 'display name')
    .action(setGroup)
  groups
    .command('delete')
    .description('delete a group')
    .argument('<id>', 'its ID, from "groups list"', groupId)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(deleteGroup)
}

/** An ID that can be part of a path. */
function groupId(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new InvalidArgumentError('It must not be empty, "." or "..".')
  return text
}

async function listGroups(_options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const groups = await client.use(z.array(Group), (memory) =>
    Array.fromAsync(memory.groups.list({ limit: PAGE })),
  )
  if (json) return printJson(terminal, { groups })
  const headings = ['ID', 'NAME', 'MEMBERS', 'MANAGED BY', 'UPDATED']
  for (const line of formatTable(headings, groups.map(groupRow))) terminal.print(line)
}

function groupRow({ id, name, memberCount, origin, updatedAt }: Group): string[] {
  const manager = origin === 'scim' ? 'identity provider' : 'you'
  return [printableLine(id), printableLine(name ?? ''), String(memberCount), manager, formatMoment(updatedAt)]
}

async function showGroup(id: string, _options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const group = await client.use(Group, (memory) => memory.groups.get(id))
  if (json) return printJson(terminal, { group })
  for (const member of group.members) terminal.print(printableLine(member))
}

async function setGroup(
  id: string,
  { members, name }: { members: string[]; name?: string },
  command: Command,
): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const body = { members, ...(name === undefined ? {} : { name }) }
  const group = await client.use(Group, (memory) => memory.groups.put(id, body))
  if (json) return printJson(terminal, { group })
  const { memberCount } = group
  terminal.print(
    `Group "${printableLine(id)}" has ${memberCount} ${memberCount === 1 ? 'member' : 'members'}`,
  )
}

async function deleteGroup(id: string, options: { yes?: boolean }, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  if (options.yes !== true)
    await askFirst(terminal, `Delete the group ${printableLine(id)}?`, 'Nothing was deleted')
  const answer = await client.use(GroupResponse, (memory) => memory.groups.delete(id))
  if (json) return printJson(terminal, answer)
  terminal.print(`Deleted "${printableLine(id)}"`)
}
