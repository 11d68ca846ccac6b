export interface SitePerson {
  accountId: string
  name: string
  email: string
  /** Whether the profile hides the address from others. */
  hidesEmail: boolean
  isActive: boolean
}

export const emailOf = (accountId: string): string => `${accountId}@acme.example`

/** The people of a site, who are all in the group `staff`, and its groups. */
export class SiteState {
  readonly people = new Map<string, SitePerson>()
  readonly groups = new Map<string, string[]>([['staff', ['ada', 'bob', 'cy']]])
  protected readonly now: () => number
  #lastId: number

  constructor(now: () => number, lastId: number) {
    this.now = now
    this.#lastId = lastId
    for (const person of ['ada', 'bob', 'cy']) this.person(person)
  }

  protected nextId(): string {
    // Of different lengths, because ids are numbers, not text.
    return String((this.#lastId += 7))
  }

  person(accountId: string, more: Partial<SitePerson> = {}): SitePerson {
    const name = accountId[0]?.toUpperCase() + accountId.slice(1)
    const person = { accountId, name, email: emailOf(accountId), hidesEmail: false, isActive: true, ...more }
    this.people.set(accountId, person)
    return person
  }

  isMember(accountId: string, group: string): boolean {
    return this.groups.get(group)?.includes(accountId) === true
  }
}
