import type { Command } from 'commander'
import { z } from 'zod'
import { Anything, Source } from '../api-shapes.ts'
import { MemoryError } from '../../client/src/index.ts'
import { codeOf } from '../failures.ts'
import { openSession, printJson } from './session.ts'

interface KeyState {
  key: 'none' | 'accepted' | 'refused'
  message: string
  sources: Source[]
}

/** `status`: whether the service is ready, the key is valid, and what is stored. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('show whether the service is ready and how much is stored')
    .action(showStatus)
}

async function showStatus(_options: unknown, command: Command): Promise<void> {
  const { client, terminal, json, hasKey } = openSession(command)
  await client.call(Anything, { method: 'GET', path: '/readyz', authenticated: false })
  const state = hasKey
    ? await checkKey(() => client.use(z.array(Source), (memory) => memory.sources.list()))
    : { key: 'none' as const, message: 'not given (--key or MEMORY_API_KEY)', sources: [] }
  const items = state.sources.reduce((sum, source) => sum + source.sourceItemCount, 0)
  if (state.key === 'refused') process.exitCode = 1
  if (json) {
    const { key, message } = state
    return printJson(terminal, {
      url: client.url,
      ready: true,
      key,
      message,
      sources: state.sources.length,
      items,
    })
  }
  terminal.print(`Service  ${client.url} is ready`)
  terminal.print(`Key      ${state.message}`)
  if (state.key !== 'accepted') return
  terminal.print(`Sources  ${state.sources.length}`)
  terminal.print(`Items    ${items}`)
}

async function checkKey(list: () => Promise<Source[]>): Promise<KeyState> {
  try {
    return { key: 'accepted', message: 'accepted', sources: await list() }
  } catch (error) {
    if (!(error instanceof MemoryError) || (error.status !== 401 && error.status !== 403)) throw error
    return { key: 'refused', message: `${error.message} (${codeOf(error)})`, sources: [] }
  }
}
