import { providerName } from '../../api/provider-list.ts'

/** A fact of an event: its name and its value in words. */
export type EventFact = readonly [name: string, value: string]

/** The facts that read differently from their field's name. */
const NAMES: Readonly<Record<string, string>> = {
  query: 'Question',
  hitCount: 'Passages found',
  citationCount: 'Citations',
  exclusionCount: 'Providers left out',
  fullResync: 'Full sync',
}

/** The fields in which nothing means no restriction. */
const UNRESTRICTED: Readonly<Record<string, string>> = {
  allowedProviders: 'All',
  providers: 'All',
  eventTypes: 'Every event',
  channelAllowlist: 'All channels',
}

/** An event's metadata in words; `targetId` is shown elsewhere. */
export function eventFacts(metadata: Readonly<Record<string, unknown>>, targetId: string): EventFact[] {
  return Object.entries(metadata)
    .filter(([, value]) => value !== targetId)
    .map(([field, value]) => [NAMES[field] ?? nameOf(field), inWords(field, value)])
}

/** "allowedActions": "Allowed actions"; "connectorId": "Connector ID". */
function nameOf(field: string): string {
  const words = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ id$/, ' ID')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function inWords(field: string, value: unknown): string {
  if (value === null) return UNRESTRICTED[field] ?? 'None'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map((one) => plain(one)).join(', ')
  return plain(value)
}

function plain(value: unknown): string {
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  return providerName(text) ?? text
}
