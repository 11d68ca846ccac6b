import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { TestOrganization } from '../../support/service.ts'
import type { ConsoleRig } from './console.ts'

/** Its owner, and a member who only asks. */
export const PEOPLE = { owner: 'ada@lumora.example', member: 'hugo@lumora.example' } as const
/** A question that its handbook, chat and mail answer together. */
export const QUESTION = 'Who is the DRI for incident response, and when do we cut a release?'

const DAY_MS = 24 * 60 * 60_000
/** Sources for pushed documents; connected accounts add more. */
const SOURCES = {
  notion: 'Handbook',
  slack: 'Team chat',
  gmail: 'Customer mail',
  google_drive: 'Contracts',
} as const
/** Credits per day of a period, oldest first: working days and weekends. */
const CREDITS_BY_DAY = [118, 164, 171, 149, 190, 31, 24, 176, 203, 188, 214, 197, 42, 28, 221, 240, 96]
const SHARES = { search: 0.5, ask: 0.3, context: 0.2 } as const

const Document = z
  .object({
    id: z.string(),
    provider: z.enum(['slack', 'notion', 'gmail']),
    sourceKind: z.string(),
    title: z.string(),
    body: z.string(),
    authorName: z.string().nullable(),
    url: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
  })
  .transform(({ id, ...document }) => ({ ...document, externalId: id }))

/** Fills a workspace with the company used for judging the canvas, and asks a few questions with a key. */
export async function settleCompany(rig: ConsoleRig, organization: TestOrganization): Promise<void> {
  const { service } = rig
  const { db } = service.database
  await db.updateTable('organizations').set({ name: 'Lumora' }).where('id', '=', organization.id).execute()
  for (const provider of ['notion', 'slack', 'gmail', 'google_drive'] as const)
    await db
      .updateTable('sources')
      .set({ display_name: SOURCES[provider] })
      .where('organization_id', '=', organization.id)
      .where('id', '=', organization.sources[provider])
      .execute()
  await rig.join(PEOPLE.owner, 'owner', organization.id)
  await rig.join(PEOPLE.member, 'member', organization.id)
  const { secret } = await organization.mint({ actions: ['search', 'ask', 'ingest'] })
  for (const name of ['handbook', 'chat', 'mail']) {
    const text = await readFile(new URL(`../../canvas/${name}.jsonl`, import.meta.url), 'utf8')
    const documents = text
      .trim()
      .split('\n')
      .map((line) => Document.parse(JSON.parse(line)))
      .map((document) => Object.assign(document, { connectorId: organization.sources[document.provider] }))
    await answered(service.call('POST', '/v1/ingest', { key: secret, body: { documents } }))
  }
  for (const query of ['Who owns Kestrel?', 'How long do rollbacks take?', QUESTION])
    await answered(service.call('POST', '/v1/search', { key: secret, body: { query } }))
  await service.app.readForCanvas()
}

/** Makes the workspace look as if it had been used for half a month. */
export async function askForWeeks(
  { service }: ConsoleRig,
  organization: TestOrganization,
  callers: readonly string[],
): Promise<void> {
  const { db } = service.database
  const today = new Date()
  today.setUTCHours(0, 0, 0, 0)
  const began = new Date(today.getTime() - (CREDITS_BY_DAY.length - 1) * DAY_MS)
  const rows = CREDITS_BY_DAY.flatMap((credits, at) =>
    callers.flatMap((subject, nth) =>
      (['search', 'ask', 'context'] as const).map((surface) => {
        const requests = Math.round((credits * SHARES[surface]) / (nth + 2))
        return {
          organization_id: organization.id,
          day: new Date(began.getTime() + at * DAY_MS).toISOString().slice(0, 10),
          period_started_at: began,
          subject_id: subject,
          is_user: false,
          surface,
          is_mcp: surface === 'context',
          requests,
          credits: requests,
        }
      }),
    ),
  )
  await db.insertInto('daily_usage').values(rows).execute()
  await db
    .updateTable('subscriptions')
    .set({
      period_anchor: began,
      period_started_at: began,
      period_ends_at: new Date(began.getTime() + 30 * DAY_MS),
      credits_used: rows.reduce((total, { credits }) => total + credits, 0),
    })
    .where('organization_id', '=', organization.id)
    .execute()
}

async function answered(sent: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await sent
  if (status >= 300) throw new Error(`the service answered ${status}: ${text}`)
}
