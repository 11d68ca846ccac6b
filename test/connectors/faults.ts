import { expect, it } from 'vitest'
import { between, pick, type Random } from '../../emulators/kit/seed.ts'
import { ProviderError } from '../../src/providers/adapter.ts'
import { seededRandom } from '../support/random.ts'
import type { ConnectedAccount, ConnectOptions, Connector, Thing } from './connected-account.ts'
import { runThrough } from './run-through.ts'

/** How many things an account has, and how many runs are killed or meet faults; more in a long run. */
const ITEMS = Number(process.env.SYNC_ITEMS ?? 12)
const FAULTS = Number(process.env.SYNC_FAULTS ?? 8)
const IS_LONG = FAULTS > 100
const PER_PAGE = ITEMS > 1_000 ? 100 : 3
/** Some providers report the edit of an old object only in a full resync. */
const CHANGED_AMONG = 20
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** One change at the provider. What is edited or moved may have another name afterwards. */
function change(account: ConnectedAccount, things: Thing[], random: Random, count: number): void {
  const kind = pick(random, ['add', 'add', 'edit', 'remove', 'move'])
  if (kind === 'add' || things.length === 0) {
    things.push(account.add(`This is number ${count}, which was added.`))
    return
  }
  const at = Math.max(0, things.length - CHANGED_AMONG)
  const [thing = ''] = things.splice(between(random, at, things.length - 1), 1)
  if (kind === 'edit') account.edit(thing, `This is number ${count}, which was edited.`)
  else if (kind === 'remove' || account.move === undefined) account.remove(thing)
  else account.move(thing)
}

/** Makes requests fail. */
function disturb({ requests }: ConnectedAccount, random: Random): boolean {
  if (requests === undefined || random() < 0.4) return false
  const { faults, tooMany, path } = requests
  const some = { ...(path !== undefined && { path }), every: between(random, 2, 15), times: 2 }
  faults.add({
    ...some,
    ...pick(random, [{ status: 500 }, { status: 503 }, { drop: true, times: 1 }, tooMany(30)]),
  })
  return true
}

/** A run that may be killed, and that may fail as the provider does. Returns whether it was complete. */
async function run({ sync }: ConnectedAccount, random: Random): Promise<boolean> {
  const isKilled = random() < 0.6
  const losePage = random() < 0.5
  const dieAfter = between(random, losePage ? 0 : 1, 3)
  try {
    return (await sync.run(isKilled ? { dieAfter, losePage } : {})).complete
  } catch (error) {
    expect(error).toBeInstanceOf(ProviderError)
    return false
  }
}

/** Expects that a source has everything that its provider has, after changes, faults and killed runs. */
export function checkUnderFaults(
  { provider, mostThings = Number.POSITIVE_INFINITY }: Pick<Connector, 'provider' | 'mostThings'>,
  connect: (options: ConnectOptions) => Promise<ConnectedAccount>,
  expectCurrent: (account: ConnectedAccount) => Promise<void>,
): void {
  it(
    `equals its provider after ${FAULTS} seeded faults and kills`,
    { timeout: IS_LONG ? 4 * HOUR : MINUTE, ...(IS_LONG && { retry: 0 }) },
    async () => {
      const random = seededRandom(`faults ${provider.id}`)
      const account = await connect({ thingsPerPage: PER_PAGE, limits: { maxAttempts: 1 } })
      const { sync } = account
      const things: Thing[] = []
      const items = Math.min(ITEMS, mostThings)
      for (let count = 0; count < items; count += 1) {
        sync.now += MINUTE
        things.push(account.add(`This is number ${count}.`))
      }
      for (let faults = 0, runs = 0; faults < FAULTS; runs += 1) {
        sync.now += between(random, 0, 20) * MINUTE
        for (let changes = between(random, 0, 3); changes > 0; changes -= 1)
          change(account, things, random, items + runs)
        const isDisturbed = disturb(account, random)
        const isComplete = await run(account, random)
        account.mend()
        if (isDisturbed || !isComplete) faults += 1
      }
      for (let runs = 0; runs < 6; runs += 1) {
        sync.now += 2 * HOUR
        await runThrough(sync)
      }
      await expectCurrent(account)
      expect(sync.items.size).toBeGreaterThanOrEqual(things.length)
    },
  )
}
