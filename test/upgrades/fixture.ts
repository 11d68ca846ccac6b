import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

export const ADMIN_KEY = 'svc_key-of-an-older-version-of-the-service-0'

const Answered = z.object({
  /** A key for searches of Notion only. */
  limitedKey: z.string(),
  revokedKey: z.string(),
  searches: z.array(
    z.object({ query: z.string(), hits: z.array(z.object({ title: z.string(), content: z.string() })) }),
  ),
})
export type Answered = z.output<typeof Answered>

const Fixture = z.object({
  /** {@link statementsHash} of each migration by name, in order. */
  migrations: z.record(z.string(), z.string()),
  tables: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
  answered: Answered,
})
/** The data and responses of an older version. */
export type Fixture = z.output<typeof Fixture>

export async function readFixture(url: URL): Promise<Fixture> {
  return Fixture.parse(JSON.parse(gunzipSync(await readFile(url)).toString('utf8')))
}

/** SHA-256 of a migration without its comments, which may be reworded after it was applied. */
export function statementsHash(migration: string): string {
  return hash('sha256', migration.replaceAll(/^\s*--.*\n/gm, ''))
}

export const QUERIES = ['paid time off', 'who pays for flights', 'rotate the encryption key', 'office plants']

const TEXTS: Record<string, readonly (readonly [title: string, body: string])[]> = {
  notion: [
    ['PTO policy', 'Employees accrue 25 days of paid time off per year. Unused days expire in March.'],
    ['Travel', 'The company pays for flights and trains. Book them a week ahead, in economy class.'],
    ['Expenses', 'Send receipts within thirty days. Meals up to 40 euros a day are paid back.'],
  ],
  google_drive: [
    ['Runbook: keys', 'To rotate the encryption key put the new key before the old one and restart.'],
    ['Office', 'Office plants are watered on Mondays by whoever comes first. The ficus needs little.'],
    ['Security', 'Laptops lock after five minutes. Report a lost device to the security team at once.'],
  ],
}

/** A provider's documents, under one of its sources. */
export function textsOf(provider: string, connectorId: string) {
  return (TEXTS[provider] ?? []).map(([title, body], index) => ({
    connectorId,
    provider,
    sourceKind: 'document',
    externalId: `older/${index}`,
    title,
    body,
  }))
}
