import { z } from 'zod'
import { isPushOnly, PROVIDERS } from '../../client/src/index.ts'
import { Source } from '../api-shapes.ts'
import type { ApiClient } from '../api-client.ts'
import { CommandError } from '../failures.ts'

const PROVIDER_DEFAULT = PROVIDERS.find(({ isForFiles }) => isForFiles)?.id ?? PROVIDERS[0].id

export interface SourceOptions {
  source?: string
  provider?: string
}

export type ChosenSource = Pick<Source, 'id' | 'displayName'> & { provider: string }

export async function chooseSource(client: ApiClient, options: SourceOptions): Promise<ChosenSource> {
  // With both given, a key that may only ingest needs to list nothing.
  if (options.source !== undefined && options.provider !== undefined) {
    return { id: options.source, provider: options.provider, displayName: 'the given source' }
  }
  const sources = await listSources(client)
  if (options.source !== undefined) {
    const named = sources.find((source) => source.id === options.source)
    if (named === undefined)
      throw new CommandError(`There is no source ${options.source}; "sources list" shows all`)
    return named
  }
  const provider = options.provider ?? PROVIDER_DEFAULT
  const chosen = sourceFor(sources, provider)
  if (chosen === undefined) {
    throw new CommandError(
      `There is no source of ${provider} to import into: create one, or choose another --provider`,
    )
  }
  return chosen
}

export async function listSources(client: ApiClient): Promise<Source[]> {
  return await client.use(z.array(Source), (memory) => memory.sources.list())
}

/** The source for a provider's documents: one without an account, by its name if several have none. */
export function sourceFor(sources: readonly Source[], provider: string, name?: string): Source | undefined {
  const usable = sources.filter((source) => source.provider === provider && source.status !== 'disabled')
  const pushed = usable.filter(isPushOnly)
  return pushed.find(({ displayName }) => displayName === name) ?? pushed[0] ?? usable[0]
}
