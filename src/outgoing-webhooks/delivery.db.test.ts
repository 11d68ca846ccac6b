import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { insertOrganization } from '../../test/support/organizations.ts'
import { until } from '../../test/support/until.ts'
import { startReceiver, type WebhookReceiver } from '../../test/support/webhook-receiver.ts'
import { startWebhookBench, type WebhookBench } from '../../test/support/webhooks.ts'
import { releaseAllLeases } from '../background/index.ts'
import { DAY_MS, MINUTE_MS } from '../kernel/clock.ts'
import { createSecretCipher } from '../kernel/secret-cipher.ts'
import { emitEvent, type OutgoingWebhooks } from './index.ts'
import { signedHeaders } from './secrets.ts'
import { beginAttempt } from './sending/attempt.ts'
import { ATTEMPTS_MAX } from './sending/schedule.ts'

let bench: WebhookBench
let outgoing: OutgoingWebhooks
let receiver: WebhookReceiver
/** How the receiver answers. */
let answer: (response: ServerResponse) => void

beforeEach(async () => {
  bench = await startWebhookBench()
  outgoing = bench.process()
  answer = (response) => void response.writeHead(204).end()
  receiver = await startReceiver((response) => answer(response))
})
afterEach(async () => {
  await receiver.close()
  await bench.close()
  if (bench.errors.length > 0) throw new AggregateError(bench.errors, 'something failed in the background')
})

const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end()
const view = async (id: string) => await outgoing.webhooks.get(bench.organization.id, id)
const idsReceived = () => receiver.received.map(({ headers }) => headers['webhook-id'])

/** Advances the clock to each pending attempt until none is left. */
async function untilSettled(): Promise<void> {
  for (;;) {
    await outgoing.settle()
    const next = (await bench.deliveries()).find((delivery) => delivery.status === 'pending')
    if (!next) return
    bench.now = next.next_attempt_at
  }
}

describe('an event', () => {
  it('arrives signed, with its type, time and data [TELL-5]', async () => {
    const { secret } = await bench.webhook(`${receiver.url}/in`)
    await bench.emit()
    await outgoing.settle()
    const [request] = receiver.received
    expect(receiver.received).toHaveLength(1)
    expect(
      new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>),
    ).toEqual({
      type: 'source.error',
      timestamp: bench.now.toISOString(),
      data: {
        organizationId: bench.organization.id,
        sourceId: bench.organization.sourceIds.notion,
        provider: 'notion',
        displayName: 'Handbook',
        errorMessage: 'The grant has ended',
      },
    })
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(await bench.deliveries()).toMatchObject([
      { status: 'delivered', attempts: 1, response_status: 204, error: null, lease_id: null },
    ])
  })

  it('is sent only if its transaction commits [TELL-9]', async () => {
    await bench.webhook(receiver.url)
    const { db } = bench.database
    const undone = db.transaction().execute(async (tx) => {
      const data = { webhookId: bench.organization.id }
      await emitEvent(tx, bench.organization.id, { type: 'webhook.test', at: bench.now, data })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await bench.deliveries()).toEqual([])
  })

  it("goes to the workspace's enabled webhooks that subscribe to its type, under one id, and to no other", async () => {
    const caller = bench.organization.caller()
    const other = await insertOrganization(bench.database.db)
    await bench.webhook(`${receiver.url}/all`)
    const make = (name: string, eventTypes: ('source.error' | 'source.active')[]) =>
      outgoing.webhooks.create(caller, { url: `${receiver.url}/${name}`, eventTypes })
    await make('some', ['source.active', 'source.error'])
    await make('others', ['source.active'])
    const { webhook } = await make('disabled', ['source.error'])
    await outgoing.webhooks.change(caller, webhook.id, { status: 'disabled' })
    await bench.webhook(`${receiver.url}/foreign`, other)
    await bench.emit()
    await outgoing.settle()
    expect(receiver.received).toHaveLength(2)
    expect(new Set(idsReceived()).size).toBe(1)
    expect((await bench.deliveries()).map(({ organization_id }) => organization_id)).toEqual([
      bench.organization.id,
      bench.organization.id,
    ])
  })
})

describe('a failed delivery', () => {
  it.each([500, 404, 301, 400])('is retried by the schedule after status %i [TELL-9]', async (code) => {
    answer = status(code)
    await bench.webhook(receiver.url)
    await bench.emit()
    const began = bench.now
    await untilSettled()
    expect(receiver.received).toHaveLength(ATTEMPTS_MAX)
    expect(new Set(idsReceived()).size).toBe(1)
    expect(bench.now.getTime() - began.getTime()).toBeGreaterThan(3 * DAY_MS)
    expect(await bench.deliveries()).toMatchObject([
      {
        status: 'failed',
        attempts: ATTEMPTS_MAX,
        response_status: code,
        error: code === 301 ? 'redirected' : 'refused',
      },
    ])
  })

  it('arrives once the receiver accepts it; each attempt has its own time', async () => {
    answer = status(503)
    const { id } = await bench.webhook(receiver.url)
    await bench.emit()
    await outgoing.settle()
    expect(await view(id)).toMatchObject({ failingSince: bench.now.toISOString(), status: 'active' })
    answer = status(200)
    bench.pass(4_999)
    await outgoing.settle()
    expect(receiver.received).toHaveLength(1)
    bench.pass(1)
    await outgoing.settle()
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(times).toEqual([times[0], (times[0] ?? 0) + 5])
    expect(receiver.received[0]?.body).toBe(receiver.received[1]?.body)
    expect(await bench.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2, error: null }])
    expect(await view(id)).toMatchObject({ failingSince: null })
  })

  it.each([
    ['seconds', () => '120', 120_000],
    ['an HTTP date', () => new Date(bench.now.getTime() + 120_000).toUTCString(), 120_000],
    ['less than the usual wait', () => '1', 5_000],
    ['more than a day', () => '1000000000', DAY_MS],
    ['a date centuries ahead', () => 'Fri, 01 Jan 2500 00:00:00 GMT', DAY_MS],
    ['no time', () => 'soon', 5_000],
  ])('waits for Retry-After in %s [TELL-9]', async (_what, header, waitMs) => {
    // An HTTP date has no milliseconds.
    bench.pass(1_000 - (bench.now.getTime() % 1_000))
    answer = (response) => void response.writeHead(503, { 'Retry-After': header() }).end()
    await bench.webhook(receiver.url)
    await bench.emit()
    await outgoing.settle()
    answer = status(200)
    bench.pass(waitMs - 1)
    await outgoing.settle()
    expect(receiver.received).toHaveLength(1)
    bench.pass(1)
    await outgoing.settle()
    expect(receiver.received).toHaveLength(2)
  })

  it('disables its webhook at once after a 410', async () => {
    answer = status(410)
    const { id } = await bench.webhook(receiver.url)
    await bench.emit()
    await outgoing.settle()
    expect(await bench.deliveries()).toMatchObject([{ status: 'failed', attempts: 1, error: 'gone' }])
    expect(await view(id)).toMatchObject({ status: 'disabled', disabledReason: 'gone' })
    expect(bench.disabled).toMatchObject([{ webhookId: id, reason: 'gone' }])
    await bench.emit()
    expect(await bench.deliveries()).toHaveLength(1)
  })

  it('disables its webhook after three days without a success, with a notice, until a user enables it [TELL-9]', async () => {
    answer = status(500)
    const { id } = await bench.webhook(receiver.url)
    await bench.emit()
    await untilSettled()
    expect(await view(id)).toMatchObject({
      status: 'disabled',
      disabledReason: 'failing',
      notice: expect.stringContaining('three days'),
    })
    expect(bench.disabled).toMatchObject([{ webhookId: id, reason: 'failing' }])
    const enabled = await outgoing.webhooks.change(bench.organization.caller(), id, { status: 'active' })
    expect(enabled).toMatchObject({
      status: 'active',
      disabledReason: null,
      notice: null,
      failingSince: null,
    })
  })

  it('does not disable a webhook with a success in between', async () => {
    answer = status(500)
    const { id } = await bench.webhook(receiver.url)
    await bench.emit()
    await outgoing.settle()
    bench.pass(2 * DAY_MS)
    answer = status(200)
    await bench.emit()
    await outgoing.settle()
    answer = status(500)
    await bench.emit()
    await outgoing.settle()
    bench.pass(2 * DAY_MS)
    await outgoing.settle()
    expect(await view(id)).toMatchObject({ status: 'active' })
  })

  it('reports an undecryptable secret, and sends nothing unsigned', async () => {
    await bench.webhook(receiver.url)
    await bench.emit()
    const other = createSecretCipher([randomBytes(32)])
    for (const cipher of [other, null]) {
      await bench.process({ findCipher: async () => cipher }).settle()
      expect(await bench.deliveries()).toMatchObject([{ status: 'pending', error: 'secret_unreadable' }])
      bench.pass(5 * MINUTE_MS)
    }
    expect(receiver.received).toEqual([])
  })

  it('to a webhook disabled meanwhile fails when it is due, and is not sent', async () => {
    answer = status(500)
    const { id } = await bench.webhook(receiver.url)
    await bench.emit()
    await outgoing.settle()
    await outgoing.webhooks.change(bench.organization.caller(), id, { status: 'disabled' })
    bench.pass(5_000)
    await outgoing.settle()
    expect(receiver.received).toHaveLength(1)
    expect(await bench.deliveries()).toMatchObject([{ status: 'failed', error: 'webhook_disabled' }])
  })

  it('to a private network is refused unless allowed, whatever its host name [TELL-4]', async () => {
    await bench.webhook(`https://hooks.example.com:${receiver.port}/`)
    await bench.emit()
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    await bench.process({ allowsPrivate: false, resolve }).settle()
    expect(receiver.received).toEqual([])
    expect(await bench.deliveries()).toMatchObject([{ status: 'pending', error: 'address_not_allowed' }])
  })
})

describe('a process that delivers', () => {
  it('resends the event with the same ID after another process crashed between sending and recording [TELL-9, TELL-10]', async () => {
    await bench.webhook(receiver.url)
    await bench.emit()
    const { db } = bench.database
    // Simulates a process that dies after the receiver has answered.
    const [due] = await bench.deliveries()
    const ref = { organizationId: bench.organization.id, id: due?.id ?? '' }
    const dying = await beginAttempt(db, ref, null, bench.now)
    expect(dying).toMatchObject({ attempts: 1 })
    await fetch(receiver.url, {
      method: 'POST',
      headers: { 'webhook-id': dying?.messageId ?? '' },
      body: dying?.payload ?? '',
    })
    // No process sends the event again during the lease: the first attempt may be in progress.
    await outgoing.settle()
    expect(receiver.received).toHaveLength(1)
    await db
      .updateTable('webhook_deliveries')
      .set({ lease_expires_at: new Date(0) })
      .execute()
    await outgoing.settle()
    expect(receiver.received).toHaveLength(2)
    expect(new Set(idsReceived()).size).toBe(1)
    expect(await bench.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }])
  })

  it('sends each event once, next to any number of others', async () => {
    await bench.webhook(receiver.url)
    for (let n = 0; n < 12; n += 1) await bench.emit()
    const processes = [outgoing, bench.process(), bench.process()]
    await Promise.all(processes.map((one) => one.settle()))
    expect(receiver.received).toHaveLength(12)
    expect(new Set(idsReceived()).size).toBe(12)
  })

  it('that stops releases unfinished attempts, which do not count [TELL-10]', async () => {
    answer = () => {}
    await bench.webhook(receiver.url)
    await bench.emit()
    const stopping = bench.process({ stopGraceMs: 1 })
    stopping.start()
    await until(
      'the event is on its way',
      () => receiver.received.length,
      (count) => count === 1,
    )
    await stopping.stop()
    expect(await bench.deliveries()).toMatchObject([{ status: 'pending', attempts: 0, lease_id: null }])
    answer = status(204)
    await outgoing.settle()
    expect(await bench.deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }])
  })

  it('that was killed is followed at once when no other can have the database open', async () => {
    await bench.webhook(receiver.url)
    await bench.emit()
    const [due] = await bench.deliveries()
    await beginAttempt(
      bench.database.db,
      { organizationId: bench.organization.id, id: due?.id ?? '' },
      null,
      bench.now,
    )
    await releaseAllLeases(bench.database.db)
    await outgoing.settle()
    expect(receiver.received).toHaveLength(1)
  })

  it('lets no slow receiver delay others, of its own or another workspace [TELL-10]', async () => {
    const slow: ServerResponse[] = []
    const silent = await startReceiver((response) => void slow.push(response))
    const delivering = bench.process()
    try {
      const other = await insertOrganization(bench.database.db)
      await bench.webhook(silent.url)
      await bench.webhook(receiver.url)
      await bench.webhook(receiver.url, other)
      for (let n = 0; n < 40; n += 1) await bench.emit()
      await bench.emit(other)
      delivering.start()
      await until(
        'the others have all',
        () => receiver.received.length,
        (count) => count === 41,
      )
      // The limit of concurrent attempts per webhook.
      expect(silent.received).toHaveLength(2)
    } finally {
      for (const response of slow) response.destroy()
      await silent.close()
      await delivering.stop()
    }
  })

  it('reports how many deliveries wait and how long the oldest has been due', async () => {
    expect(await outgoing.lag()).toEqual({ waiting: 0, lagSeconds: 0 })
    answer = status(500)
    await bench.webhook(receiver.url)
    await bench.emit()
    bench.pass(7_000)
    await bench.emit()
    expect(await outgoing.lag()).toEqual({ waiting: 2, lagSeconds: 7 })
    await outgoing.settle()
    expect(await outgoing.lag()).toEqual({ waiting: 2, lagSeconds: 0 })
  })
})

describe('secrets', () => {
  it('are re-encrypted with the first key, including previous ones; undecryptable ones are reported [TELL-2]', async () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)]
    const processOf = (...keys: Buffer[]) =>
      bench.process({ findCipher: async () => createSecretCipher(keys) })
    const caller = bench.organization.caller()
    const { webhook, secret } = await processOf(older).webhooks.create(caller, { url: receiver.url })
    const rotated = await processOf(older).webhooks.rotate(caller, webhook.id)
    await processOf(newer, older).maintain()
    await bench.emit()
    await processOf(newer).settle()
    const [request] = receiver.received
    for (const one of [secret, rotated.secret])
      expect(() =>
        new Webhook(one).verify(request?.body ?? '', request?.headers as Record<string, string>),
      ).not.toThrow()
    await expect(processOf(older).maintain()).rejects.toThrow('2 secrets of webhooks cannot be decrypted')
  })

  it('replaced by a rotation sign for a day, and are then deleted [TELL-5]', async () => {
    const { id, secret } = await bench.webhook(receiver.url)
    const rotated = await outgoing.webhooks.rotate(bench.organization.caller(), id)
    const expiresAt = new Date(bench.now.getTime() + DAY_MS).toISOString()
    expect(rotated.webhook.previousSecretExpiresAt).toBe(expiresAt)
    /** Expects exactly these secrets' signatures on the last request. */
    const signedBy = async (secrets: string[]): Promise<void> => {
      await bench.emit()
      await outgoing.settle()
      const { headers, body } = receiver.received.at(-1) ?? {}
      const message = { id: String(headers?.['webhook-id']), at: bench.now, payload: body ?? '' }
      expect(headers).toMatchObject(signedHeaders(message, secrets))
    }
    bench.pass(DAY_MS - 1)
    await outgoing.maintain()
    await signedBy([rotated.secret, secret])
    bench.pass(1)
    await signedBy([rotated.secret])
    await outgoing.maintain()
    expect(await view(id)).toMatchObject({ previousSecretExpiresAt: null })
  })

  it('are not created when no key can encrypt them', async () => {
    const made = bench
      .process({ findCipher: async () => null })
      .webhooks.create(bench.organization.caller(), { url: receiver.url })
    await expect(made).rejects.toMatchObject({ code: 'not_configured' })
  })
})

describe('old deliveries', () => {
  it('are deleted after 14 days, unless they still wait', async () => {
    await bench.webhook(receiver.url)
    await bench.emit()
    await outgoing.settle()
    bench.pass(14 * DAY_MS)
    await outgoing.maintain()
    expect(await bench.deliveries()).toHaveLength(1)
    bench.pass(1)
    await bench.database.db
      .insertInto('webhook_deliveries')
      .values({ ...(await bench.deliveries())[0]!, id: crypto.randomUUID(), status: 'pending' })
      .execute()
    await outgoing.maintain()
    expect(await bench.deliveries()).toMatchObject([{ status: 'pending' }])
  })
})
