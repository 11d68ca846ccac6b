import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { PolicyPrincipals } from './access-policy.ts'

/** The id of the policy without readers. No stored policy has it. */
export const NOBODY_ID = 0

/** Concurrent writers of policies can take the ids first. */
const ATTEMPTS_MAX = 50

const Rows = z.array(z.object({ id: z.number(), hash: z.string() }))
const LastRow = z.tuple([z.object({ last: z.number() })])

const selectPolicies = prepare(`
  select p.id, encode(p.sha256, 'hex') as hash from json_array_elements_text($2::json) as g(hash)
  join access_policies p on p.organization_id = $1 and p.sha256 = decode(g.hash, 'hex')`)

const selectLast = prepare(`
  select coalesce(max(id), 0)::int as last from access_policies where organization_id = $1`)

// An insert waits for a concurrent insert of the same id, so ids are committed in ascending order unless one stays free.
const insertPolicies = prepare(`
  insert into access_policies (organization_id, id, sha256)
  select $1::uuid, $3::int + g.n, decode(g.hash, 'hex')
  from json_array_elements_text($2::json) with ordinality as g(hash, n) order by g.n
  on conflict do nothing
  returning id, encode(sha256, 'hex') as hash`)

const countAfter = prepare(`
  select count(*)::int as taken from access_policies where organization_id = $1 and id > $2`)

const Taken = z.tuple([z.object({ taken: z.number() })])

const insertPrincipals = prepare(`
  insert into access_policy_principals (organization_id, principal, policy_id, denies)
  select $1::uuid, r.principal, r.id, r.denies
  from json_to_recordset($2::json) as r(principal text, id int, denies boolean)`)

/** The ids of policies, in the order of `policies`; new ones are stored, outside other transactions. */
export async function internPolicies(
  db: Db,
  organizationId: string,
  policies: readonly PolicyPrincipals[],
): Promise<number[]> {
  const hashes = policies.map((policy) => (policy.allow.length === 0 ? null : hashOf(policy)))
  const byHash = new Map(policies.map((policy, at) => [hashes[at] ?? '', policy]))
  byHash.delete('')
  const known = new Map<string, number>()
  for (let attempt = 1; known.size < byHash.size; attempt++) {
    if (attempt > ATTEMPTS_MAX)
      throw new Error('access policies could not be stored: concurrent writers took every id')
    const missing = [...byHash.keys()].filter((one) => !known.has(one))
    const { rows } = await selectPolicies(db, [organizationId, JSON.stringify(missing)])
    for (const { id, hash: found } of Rows.parse(rows)) known.set(found, id)
    const unstored = missing.filter((one) => !known.has(one))
    if (unstored.length > 0)
      await db
        .transaction()
        .execute((tx) => storePolicies(tx, organizationId, unstored, byHash))
        .catch((error: unknown) => {
          if (!(error instanceof IdLeftFree)) throw error
        })
  }
  return hashes.map((one) => (one === null ? NOBODY_ID : (known.get(one) ?? NOBODY_ID)))
}

/** Another writer stored one of the policies first, so its intended id is free: all are numbered again. */
class IdLeftFree extends Error {}

/** @throws IdLeftFree */
async function storePolicies(
  tx: Tx,
  organizationId: string,
  hashes: readonly string[],
  byHash: ReadonlyMap<string, PolicyPrincipals>,
): Promise<void> {
  const [{ last }] = LastRow.parse((await selectLast(tx, [organizationId])).rows)
  const { rows } = await insertPolicies(tx, [organizationId, JSON.stringify(hashes), last])
  const stored = Rows.parse(rows)
  const lastStored = stored.reduce((most, { id }) => Math.max(most, id), last)
  const [{ taken }] = Taken.parse((await countAfter(tx, [organizationId, last])).rows)
  // Readers look for new policies only after the last id.
  if (taken < lastStored - last) throw new IdLeftFree()
  const principals: { principal: string; id: number; denies: boolean }[] = []
  for (const { id, hash: of } of stored) {
    const { allow, deny } = byHash.get(of) ?? { allow: [], deny: [] }
    for (const principal of allow) principals.push({ principal, id, denies: false })
    for (const principal of deny) principals.push({ principal, id, denies: true })
  }
  await insertPrincipals(tx, [organizationId, JSON.stringify(principals)])
}

function hashOf({ allow, deny }: PolicyPrincipals): string {
  return hash('sha256', JSON.stringify([allow, deny]), 'hex')
}
