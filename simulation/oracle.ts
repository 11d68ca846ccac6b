import { mayRead } from '../test/support/permissions.ts'
import { domainPrincipal, EVERYONE, groupPrincipal, userPrincipal } from '../src/people/index.ts'

/** What may be stored under a key: a value, or nothing. */
export interface Version<Value> {
  number: number
  value: Value | null
}

/** The state at one moment, to compare with a later answer. */
export interface Moment {
  possible: ReadonlySet<number>
  /** Versions from this index on are newer. */
  next: number
}

/**
 * An object that clients change. A change whose response was lost may or may not have happened, so several versions
 * are possible until a later change is acknowledged.
 */
export class Register<Value> {
  readonly versions: Version<Value>[]
  #possible: Set<number>
  isBusy = false

  constructor(value: Value | null) {
    this.versions = [{ number: 0, value }]
    this.#possible = new Set([0])
  }

  /** Records a change about to be sent: from now on, both versions are possible. */
  begin(value: Value | null): Version<Value> {
    const version = { number: this.versions.length, value }
    this.versions.push(version)
    this.#possible.add(version.number)
    this.isBusy = true
    return version
  }

  end(version: Version<Value>, outcome: 'done' | 'refused' | 'unknown'): void {
    this.isBusy = false
    if (outcome === 'done') this.#possible = new Set([version.number])
    if (outcome === 'refused') this.#possible.delete(version.number)
  }

  now(): Moment {
    return { possible: new Set(this.#possible), next: this.versions.length }
  }

  /** All versions that a request from that moment until now could see. */
  since(moment: Moment): Version<Value>[] {
    return this.versions.filter(({ number }) => moment.possible.has(number) || number >= moment.next)
  }

  /** The only possible version; undefined if there are several. */
  certain(): Version<Value> | undefined {
    if (this.#possible.size !== 1) return undefined
    return this.versions.find(({ number }) => this.#possible.has(number))
  }
}

export interface PushedDocument {
  provider: 'slack' | 'notion' | 'google_drive'
  externalId: string
  title: string
  body: string
  policy: unknown
}

/** How often an event was acknowledged, and how often it may also have happened. */
export interface Tally {
  acknowledged: number
  unknown: number
}

export const newTally = (): Tally => ({ acknowledged: 0, unknown: 0 })

/** Whether a number of events is consistent with what clients know. */
export function fits(count: number, { acknowledged, unknown }: Tally): boolean {
  return count >= acknowledged && count <= acknowledged + unknown
}

/** Whether a person may read a document when the group has these members. */
export function readable(policy: unknown, email: string, members: readonly string[]): boolean {
  const domain = email.slice(email.indexOf('@') + 1)
  const principals = new Set([EVERYONE, userPrincipal(email), domainPrincipal(domain)])
  if (members.includes(email)) principals.add(groupPrincipal('eng'))
  return mayRead(policy, principals, email)
}

interface Admission {
  sentAt: number
  answeredAt: number
}

/** Whether more than `limit` requests were certainly admitted within a minute. @returns how many; 0: none too many */
export function admittedTooMany(admissions: readonly Admission[], limit: number): number {
  let worst = 0
  for (const { sentAt } of admissions) {
    const within = admissions.filter((one) => one.sentAt >= sentAt && one.answeredAt < sentAt + 60_000).length
    worst = Math.max(worst, within)
  }
  return worst > limit ? worst : 0
}

/** Whether a rate limit refusal was right: enough requests may have counted in the minute before. */
export function mayBeRefused(refusal: Admission, admissions: readonly Admission[], limit: number): boolean {
  const counted = admissions.filter(
    (one) => one.sentAt <= refusal.answeredAt && one.answeredAt > refusal.sentAt - 60_000,
  )
  return counted.length >= limit
}
