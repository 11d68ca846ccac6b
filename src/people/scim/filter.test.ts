import { expect, it } from 'vitest'
import { parseFilter } from './filter.ts'

const parse = (filter: string) => parseFilter(filter, ['userName', 'displayName', 'emails.value'])

it.each([
  ['userName eq "ada@example.com"', 'username', 'ada@example.com'],
  ['  USERNAME   EQ   "Ada"  ', 'username', 'Ada'],
  ['displayName eq "Team  A\\" eq"', 'displayname', 'Team  A" eq'],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"', 'username', 'ada'],
  ['emails[type eq "work"].value eq "ada@example.com"', 'emails.value', 'ada@example.com'],
])('reads %s', (filter, attribute, value) => {
  expect(parse(filter)).toEqual({ attribute, value })
})

it.each([
  'userName',
  'userName co "a"',
  'userName eq a',
  'title eq "a"',
  'userName eq "a" and active eq true',
])('refuses %s', (filter) => {
  expect(() => parse(filter)).toThrow('The filter must be one of: userName eq "…"')
})
