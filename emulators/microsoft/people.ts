export interface MicrosoftPerson {
  id: string
  displayName: string
  mail: string | null
  userPrincipalName: string
}

export const TENANT = '6f1f2a34-0000-4000-8000-000000000001'
export const DOMAINS = ['acme.example', 'acme.onmicrosoft.example']

const guid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** The users of a tenant, by their short names. */
export class MicrosoftPeople {
  readonly all = new Map<string, MicrosoftPerson>()

  add(name: string, more: Partial<MicrosoftPerson> = {}): MicrosoftPerson {
    const address = `${name}@acme.example`
    const person = {
      id: guid(this.all.size + 1),
      displayName: name.charAt(0).toUpperCase() + name.slice(1),
      mail: address,
      userPrincipalName: address,
      ...more,
    }
    this.all.set(name, person)
    return person
  }

  get(name: string): MicrosoftPerson {
    const person = this.all.get(name)
    if (person === undefined) throw new Error(`there is no person ${name}`)
    return person
  }

  byId(id: string): MicrosoftPerson | undefined {
    return [...this.all.values()].find((person) => person.id === id)
  }
}
