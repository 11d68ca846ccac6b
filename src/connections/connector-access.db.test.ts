import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startIssuer, type TestIssuer } from '../../test/support/issuer.ts'
import { signIn } from '../../test/support/people.ts'
import { startTestService, type TestOrganization, type TestService } from '../../test/support/service.ts'
import type { Role } from '../kernel/roles.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { type ConnectorAccess, createConnectorAccess } from './connector-access.ts'

let service: TestService
let issuer: TestIssuer
let organization: TestOrganization

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
})
beforeEach(async () => {
  organization = await service.organization()
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const accessIn = (isLocal: boolean): ConnectorAccess =>
  createConnectorAccess({
    db: service.database.db,
    clock: { now: () => new Date() },
    gated: ['gmail'],
    offered: ['gmail'],
    isLocal,
  })

async function caller(role: Role): Promise<ConsoleCaller> {
  const { userId } = await signIn(service, issuer, role, { organizationId: organization.id, role })
  return { kind: 'console', organizationId: organization.id, userId, role, allowedProviders: null }
}

async function makeLocal(isLocal = true): Promise<void> {
  const { db } = service.database
  await db.updateTable('organizations').set({ is_local: false }).where('is_local', '=', true).execute()
  await db.updateTable('organizations').set({ is_local: isLocal }).where('id', '=', organization.id).execute()
}

const gmailOf = async (access: ConnectorAccess, of: ConsoleCaller) =>
  (await access.list(of)).find(({ provider }) => provider === 'gmail')

describe("granting a gated provider without the operator's token", () => {
  it('works for the owner of the local workspace, requested or not, and is audited', async () => {
    await makeLocal()
    const [access, owner] = [accessIn(true), await caller('owner')]
    expect(await gmailOf(access, owner)).toMatchObject({ access: 'required', grantable: true })
    await access.request(owner, 'gmail')
    expect(await gmailOf(access, owner)).toMatchObject({ access: 'pending', grantable: true })
    expect(await access.grant(owner, 'gmail')).toMatchObject({ provider: 'gmail', status: 'granted' })
    await access.require(service.database.db, organization.id, 'gmail')
    expect(await gmailOf(access, owner)).toMatchObject({ access: 'granted', grantable: false })
    const { body } = await service.call('GET', '/v1/audit-events', { key: organization.adminKey })
    expect(body.auditEvents[0]).toMatchObject({ action: 'connector_access.grant', actorUserId: owner.userId })
  })

  it.each([
    ['an admin of the local workspace', { isLocal: true, isLocalWorkspace: true, role: 'admin' }],
    ['the owner of another workspace', { isLocal: true, isLocalWorkspace: false, role: 'owner' }],
    [
      'an owner of a deployment with an operator token',
      { isLocal: false, isLocalWorkspace: true, role: 'owner' },
    ],
  ] as const)('is refused for %s', async (_who, { isLocal, isLocalWorkspace, role }) => {
    await makeLocal(isLocalWorkspace)
    const [access, person] = [accessIn(isLocal), await caller(role)]
    expect(await gmailOf(access, person)).toMatchObject({ access: 'required', grantable: false })
    const refusal = { code: 'connector_access_required' }
    await expect(access.grant(person, 'gmail')).rejects.toMatchObject(refusal)
    await expect(access.require(service.database.db, organization.id, 'gmail')).rejects.toMatchObject(refusal)
  })
})
