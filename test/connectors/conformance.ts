import { afterEach, describe, expect, it } from 'vitest'
import type { ProviderHarness } from '../support/provider-harness.ts'
import { readPermissions } from '../support/read-permissions.ts'
import type { ConnectedAccount, ConnectOptions, Connector } from './connected-account.ts'
import { checkUnderFaults } from './faults.ts'
import { runThrough } from './run-through.ts'

const HOUR = 3_600_000
const PER_PAGE = 3
const text = (number: number): string => `The number of this thing is ${number} and nothing else.`

/**
 * What the service expects of every connector. It covers the port (`src/providers/provider.ts`), not the provider's
 * content: titles, links and text are tested beside the adapter.
 */
export function checkConnector(connector: Connector): void {
  const { things: count = 10 } = connector
  const open: ConnectedAccount[] = []
  afterEach(async () => {
    for (const account of open.splice(0)) await account.close()
  })

  async function connect(options: Partial<ConnectOptions> = {}): Promise<ConnectedAccount> {
    const account = await connector.connect({ thingsPerPage: PER_PAGE, ...options })
    open.push(account)
    return account
  }

  /** An account with things, each an hour apart. */
  async function filled(options: Partial<ConnectOptions> = {}) {
    const account = await connect(options)
    const things = Array.from({ length: count }, (_unused, number) => {
      account.sync.now += HOUR
      return account.add(text(number))
    })
    account.sync.now += HOUR
    return { account, things }
  }

  const found = ({ sync }: ConnectedAccount, words: string): number =>
    sync.bodies().filter((body) => body.includes(words)).length

  /** Expects that the source has what a source connected now would get. */
  async function expectCurrent(account: ConnectedAccount): Promise<void> {
    const fresh = account.fresh()
    await runThrough(fresh)
    expect(sorted(account.sync)).toEqual(sorted(fresh))
  }

  describe('the first crawl', () => {
    it('stores everything once, in several pages, and nothing fails', async () => {
      const { account, things } = await filled()
      const report = await account.sync.run()
      expect(report).toMatchObject({ complete: true, failures: [], deleted: [] })
      expect(report.pages).toBeGreaterThan(2)
      expect(things.map((_thing, number) => found(account, text(number)))).toEqual(things.map(() => 1))
      for (const item of account.sync.items.values()) {
        expect(item.title).not.toBe('')
        expect(item.body).toBe(item.body.trim())
      }
    })

    it('has the same result with other pages', async () => {
      const small = await filled({ thingsPerPage: 2 })
      const large = await filled({ thingsPerPage: 100 })
      await small.account.sync.run()
      await large.account.sync.run()
      expect(small.account.sync.bodies()).toEqual(large.account.sync.bodies())
    })

    it('of an empty account ends', async () => {
      const account = await connect()
      expect(await account.sync.run()).toMatchObject({ complete: true, failures: [] })
    })

    it('repeated as a full resync removes items that no longer exist', async () => {
      const { account } = await filled()
      await account.sync.run()
      const [item] = account.sync.items.values()
      if (item === undefined) throw new Error('nothing was stored')
      const ghost = `${item.externalId}0`
      account.sync.items.set(ghost, { ...item, externalId: ghost })
      account.sync.now += HOUR
      const report = await account.sync.run({ fullResync: true })
      expect(report.deleted).toEqual([ghost])
      await expectCurrent(account)
    })
  })

  describe('later runs', () => {
    it('store nothing when nothing changed', async () => {
      const { account } = await filled()
      await account.sync.run()
      const report = await account.sync.run()
      expect(report).toMatchObject({ ingested: [], deleted: [], failures: [], complete: true })
    })

    it('store new things and edits, and remove what was deleted', async () => {
      const { account, things } = await filled()
      await account.sync.run()
      account.sync.now += HOUR
      const [first = '', second = ''] = things.slice(-2)
      account.edit(first, 'The text of this one was edited.')
      account.remove(second)
      account.add('This is brand new.')
      account.sync.now += HOUR
      await account.sync.run()
      expect(found(account, 'was edited')).toBe(1)
      expect(found(account, 'brand new')).toBe(1)
      expect(found(account, text(count - 2))).toBe(0)
      expect(found(account, text(count - 1))).toBe(0)
      await expectCurrent(account)
    })

    it('follow a thing that moves', async () => {
      const { account, things } = await filled()
      if (account.move === undefined) return
      await account.sync.run()
      account.sync.now += HOUR
      account.move(things[0] ?? '')
      await account.sync.run()
      expect(found(account, text(0))).toBe(1)
      await expectCurrent(account)
    })

    it('find what changed while the first crawl was interrupted', async () => {
      const { account, things } = await filled()
      await account.sync.run({ dieAfter: 1 })
      account.sync.now += HOUR
      account.edit(things.at(-1) ?? '', 'The text of this one was edited.')
      account.remove(things.at(-2) ?? '')
      account.add('This is brand new.')
      account.sync.now += HOUR
      await account.sync.run()
      await account.sync.run()
      await expectCurrent(account)
    })
  })

  describe('a run that is killed', () => {
    it.each([
      ['after', false],
      ['before', true],
    ])('%s any page is stored resumes there', async (_when, losePage) => {
      const whole = await filled()
      const { pages } = await whole.account.sync.run()
      for (let dieAfter = losePage ? 0 : 1; dieAfter < pages; dieAfter += 1) {
        const { account } = await filled()
        await account.sync.run({ dieAfter, losePage })
        await account.sync.run()
        expect(account.sync.bodies()).toEqual(whole.account.sync.bodies())
      }
    })

    it('after every page still finishes', async () => {
      const { account } = await filled()
      let runs = 0
      while (!(await account.sync.run({ dieAfter: 1 })).complete) expect((runs += 1)).toBeLessThan(200)
      await expectCurrent(account)
    })
  })

  checkUnderFaults(connector, connect, expectCurrent)

  it('one unreadable thing is reported, does not block others, and is read as soon as it is readable', async () => {
    const { account, things } = await filled()
    account.break(things[1] ?? '')
    const report = await account.sync.run()
    expect(report.complete).toBe(true)
    expect(report.failures.length).toBeGreaterThan(0)
    expect(found(account, text(0))).toBe(1)
    expect(found(account, text(2))).toBe(1)
    account.mend()
    account.sync.now += 24 * HOUR
    await account.sync.run()
    await expectCurrent(account)
  })

  describe('one thing in an unknown format', () => {
    it('does not block others, and is read once its format is supported', async () => {
      const { account, things } = await filled()
      if (account.deform === undefined) return
      account.deform(things[1] ?? '')
      const report = await account.sync.run()
      expect(report.complete).toBe(true)
      for (const number of [0, 2, count - 1]) expect(found(account, text(number))).toBe(1)
      account.mend()
      account.sync.now += 24 * HOUR
      await account.sync.run()
      await expectCurrent(account)
    })

    it('stays as it is stored, while others change', async () => {
      const { account, things } = await filled()
      if (account.deform === undefined) return
      await account.sync.run()
      account.sync.now += 24 * HOUR
      account.deform(things[1] ?? '')
      account.edit(things[1] ?? '', 'The text of this one was edited.')
      account.remove(things[2] ?? '')
      account.add('This is brand new.')
      account.sync.now += HOUR
      await account.sync.run()
      expect(found(account, text(1))).toBe(1)
      expect(found(account, text(2))).toBe(0)
      expect(found(account, 'brand new')).toBe(1)
      account.mend()
      account.sync.now += 24 * HOUR
      await account.sync.run()
      expect(found(account, 'was edited')).toBe(1)
      await expectCurrent(account)
    })
  })

  describe('one item that is read alone', () => {
    async function stored() {
      const { account, things } = await filled()
      await account.sync.run()
      const item = [...account.sync.items.values()].find(({ body }) => body.includes(text(0)))
      return { account, thing: things[0] ?? '', id: item?.externalId ?? '', before: account.sync.items.size }
    }

    it('is as its provider has it now, and the runs go on from their position', async () => {
      const { account, thing, id, before } = await stored()
      if (account.adapter.readItem === undefined) return
      account.sync.now += HOUR
      account.edit(thing, 'The text of this one was edited.')
      const read = await account.sync.reread(id)
      expect(read.failures).toEqual([])
      // A mail is never edited: another one replaces it.
      if (read.deletions.includes(id)) expect(account.sync.items.size).toBe(before - 1)
      else expect(account.sync.items.get(id)?.body).toContain('was edited')
      expect(await account.sync.run()).toMatchObject({ complete: true, failures: [], deleted: [] })
      expect(found(account, 'was edited')).toBe(1)
      expect(account.sync.items.size).toBe(before)
    })

    it('is removed when the provider deletes it', async () => {
      const { account, thing, id, before } = await stored()
      if (account.adapter.readItem === undefined) return
      account.sync.now += HOUR
      account.remove(thing)
      expect((await account.sync.reread(id)).deletions).toContain(id)
      expect(account.sync.items.size).toBe(before - 1)
    })

    it('stays when it cannot be read, with the reason', async () => {
      const { account, thing, id, before } = await stored()
      if (account.adapter.readItem === undefined) return
      account.sync.now += HOUR
      account.break(thing)
      const failures = await account.sync.reread(id).then(
        (read) => read.failures,
        (error: unknown) => [error],
      )
      expect(failures).toEqual([expect.objectContaining({ message: expect.any(String) })])
      expect(account.sync.items.size).toBe(before)
      account.mend()
      expect((await account.sync.reread(id)).failures).toEqual([])
    })
  })

  it('a run that must stop ends with its own reason', async () => {
    const stop = new AbortController()
    const { account } = await filled({ signal: stop.signal })
    stop.abort(new Error('drained'))
    await expect(account.sync.run()).rejects.toThrow('drained')
  })

  describe('requests', () => {
    it('that are refused for their rate wait as long as the provider asks, and nothing is lost', async () => {
      const { account } = await filled()
      if (account.requests === undefined) return
      const { faults, tooMany, path } = account.requests
      faults.add({ ...(path === undefined ? {} : { path }), every: 3, times: 6, ...tooMany(30) })
      expect((await account.sync.run()).failures).toEqual([])
      expect(account.sync.waitedMs).toBeGreaterThanOrEqual(30_000)
      faults.clear()
      await expectCurrent(account)
    })

    it('that are refused for longer than a run may wait end it, and the next one resumes', async () => {
      const { account } = await filled()
      if (account.requests === undefined) return
      const { faults, tooMany, path } = account.requests
      await account.sync.run({ dieAfter: 1 })
      faults.add({ ...(path === undefined ? {} : { path }), ...tooMany(3_600) })
      await expect(account.sync.run()).rejects.toMatchObject({ kind: 'rate_limited' })
      faults.clear()
      account.sync.now += 2 * HOUR
      await account.sync.run()
      await expectCurrent(account)
    })

    it('that get no answer end the run, remove nothing, and the next one resumes', async () => {
      const { account } = await filled()
      if (account.requests === undefined) return
      const { faults, path } = account.requests
      await account.sync.run({ dieAfter: 1 })
      const stored = account.sync.items.size
      faults.add({ ...(path === undefined ? {} : { path }), drop: true })
      await expect(account.sync.run()).rejects.toMatchObject({ kind: 'unavailable' })
      expect(account.sync.items.size).toBe(stored)
      faults.clear()
      account.sync.now += HOUR
      await account.sync.run()
      await expectCurrent(account)
    })
  })

  describe('the grant', () => {
    it('that has ended ends the run with the words of the provider, and removes nothing', async () => {
      const { account } = await filled()
      if (account.revoke === undefined) return
      await account.sync.run()
      const stored = account.sync.items.size
      account.revoke()
      const run = account.sync.run()
      await expect(run).rejects.toMatchObject({ kind: 'auth' })
      if (connector.revokedMessage) await expect(run).rejects.toThrow(connector.revokedMessage)
      expect(account.sync.items.size).toBe(stored)
    })

    it('is renewed when the provider refuses a token in the middle of a run', async () => {
      const { account } = await filled()
      if (account.expireTokens === undefined) return
      await account.sync.run({ dieAfter: 1 })
      account.expireTokens()
      await account.sync.run()
      account.sync.now += HOUR
      await expectCurrent(account)
    })
  })

  describe('permissions', () => {
    const { reportsReaders, webhook } = connector.provider

    it.runIf(reportsReaders)('come with every item, and changes arrive with items or polls', async () => {
      const { account, things } = await filled()
      await account.sync.run()
      for (const item of account.sync.items.values())
        expect(item.metadata.accessPolicy?.visibility, item.externalId).toBeDefined()
      if (account.restrict === undefined) return
      account.sync.now += HOUR
      account.restrict(things[0] ?? '', 'ada@acme.example')
      const { policies } = await readPermissions(account.adapter, account.sync.session, account.sync.cursor)
      await account.sync.run()
      const item = [...account.sync.items.values()].find(({ body }) => body.includes(text(0)))
      const policy = policies.get(item?.externalId ?? '') ?? item?.metadata.accessPolicy
      expect(policy?.visibility).not.toBe('public')
      expect(policy?.visibility).not.toBe('workspace')
    })

    it.runIf(!reportsReaders)('are never reported by a provider that cannot report them', async () => {
      const { account } = await filled()
      await account.sync.run()
      expect(account.adapter.listPermissions).toBeUndefined()
      for (const item of account.sync.items.values()) {
        // Private, or public to everybody, is no list of readers.
        const { users = [], groups = [], domains = [] } = item.metadata.accessPolicy ?? {}
        expect([...users, ...groups, ...domains]).toEqual([])
      }
    })

    it.runIf(webhook !== undefined)('an event whose sender cannot be verified is refused', () => {
      const request = { headers: { 'content-type': 'application/json' }, rawBody: Buffer.from('{}') }
      expect(() => webhook?.read(request, connector.webhookSettings ?? {}, new Date())).toThrow(
        expect.objectContaining({ code: 'unauthenticated' }),
      )
    })
  })
}

const sorted = ({ items }: ProviderHarness): [string, unknown][] =>
  [...items].toSorted(([one], [other]) => (one < other ? -1 : 1))
