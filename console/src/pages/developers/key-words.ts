import type { Schemas } from '../../api/client.ts'
import { filesProvider, type ProviderId, providerIds, providerName } from '../../api/provider-list.ts'
import { isFile } from '../../api/origin.ts'
import { count } from '../../ui/format.ts'
import { isPushOnly, type Source } from '../sources/source-words.ts'
import { ALL_ACTIONS } from './key-actions.ts'

type ApiKey = Pick<Schemas['ApiKey'], 'allowedActions' | 'allowedProviders'>

/** Every secret has this form; anything else is not sent. */
const SECRET = /^svc_[\w-]+$/

export function isSecret(text: string): boolean {
  return SECRET.test(text)
}

/** The key that a secret belongs to, by its first characters. */
export function keyOfSecret<Key extends Pick<Schemas['ApiKey'], 'prefix'>>(
  secret: string,
  keys: readonly Key[],
): Key | undefined {
  return keys.find(({ prefix }) => secret.startsWith(prefix))
}

function names(ids: readonly ProviderId[]): string {
  return ids.map((id) => providerName(id) ?? id).join(', ')
}

/** What a key may do and read, and what it may not; null: nothing is left out. */
export function scopeInWords({ allowedActions, allowedProviders }: ApiKey) {
  const denied = ALL_ACTIONS.filter((action) => !allowedActions.includes(action))
  const hidden = allowedProviders === null ? [] : providerIds().filter((id) => !allowedProviders.includes(id))
  return {
    actions: allowedActions.join(', '),
    denied: denied.length === 0 ? null : denied.join(', '),
    providers: allowedProviders === null ? 'All' : names(allowedProviders),
    hidden: hidden.length === 0 ? null : names(hidden),
  }
}

/** What belongs to a provider besides its synced items: files go to the default one, pushed documents to any. */
export function alsoIn(
  id: ProviderId,
  sources: readonly Pick<Source, 'provider' | 'externalAccountId' | 'sourceItemCount'>[],
): string | undefined {
  if (id === filesProvider()) return 'With uploaded and imported files.'
  const isPushedTo = sources.some(
    (source) => source.provider === id && isPushOnly(source) && source.sourceItemCount > 0,
  )
  return isPushedTo ? 'With pushed documents.' : undefined
}

/** "3 passages from Slack, Notion". */
export function hitsInWords(hits: readonly { provider: string }[]): string {
  if (hits.length === 0) return 'No results'
  const from = new Set(hits.map(({ provider }) => providerName(provider) ?? provider))
  return `${count(hits.length, 'passage')} from ${[...from].join(', ')}`
}

/** The provider by which the key finds an item, and whether it is a file. */
export function scopeOf(item: Parameters<typeof isFile>[0]): string {
  const name = providerName(item.provider) ?? item.provider
  return isFile(item) ? `${name}, file` : name
}
