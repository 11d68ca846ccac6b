import { count } from '../../ui/format.ts'
import type { ItemReader } from './use-readers.ts'

/** A reader of an access policy, in words. */
export function describeReader({ kind, name, memberCount, denied }: ItemReader): string {
  const words = wordsOf(kind, name)
  const members = memberCount === null ? '' : ` (${count(memberCount, 'member')})`
  return `${denied ? 'Not ' : ''}${denied ? words.charAt(0).toLowerCase() + words.slice(1) : words}${members}`
}

function wordsOf(kind: ItemReader['kind'], name: string | null): string {
  switch (kind) {
    case 'everyone':
      return 'Everyone'
    case 'member':
      return 'Members of this workspace'
    case 'source':
      return 'People of the source'
    case 'user':
      return name ?? 'One person'
    case 'group':
      return `Group ${name ?? ''}`.trim()
    case 'domain':
      return `Everyone at ${name ?? 'a domain'}`
  }
}
