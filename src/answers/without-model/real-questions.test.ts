import { beforeAll, describe, expect, it } from 'vitest'
import { aHit } from '../../../test/support/hits.ts'
import { loadTermWeights } from '../../inference/term-weights.ts'
import { inOneGo } from '../../kernel/cooperative.ts'
import { createSynthesize, type Synthesize } from './synthesize.ts'

// Real questions, with documents of the kind that produced wrong answers.

let synthesize: Synthesize
beforeAll(async () => {
  synthesize = createSynthesize(await loadTermWeights())
})

interface Document {
  title: string
  content: string
  /** When it last changed, in days since the epoch. */
  day?: number
  metadata?: Record<string, unknown>
}

function answer(question: string, documents: readonly Document[], isWeak = false): string {
  const hits = documents.map(({ title, content, metadata = {} }, at) =>
    aHit({ sourceItemId: `${at}`, title, content, score: 0.5 - at / 100, metadata }),
  )
  const around = documents.map(({ day = 0 }) => ({
    position: 0,
    heading: null,
    changedAt: new Date(day * 86_400_000),
    beside: [],
  }))
  return inOneGo(synthesize({ question, hits, around, isWeak }))
}

const agreement = {
  title: 'Service agreement: Polder Bikes',
  content: `# Service agreement

This agreement is between Veldhoen BV and Polder Bikes, effective 1 May 2026.

## Fees

The yearly fee is EUR 12,000. Invoices are due within 20 days. Nothing here limits liability for intent.

## Term

The term is 18 months. It ends with three months' notice.`,
}
const launch = [
  { title: 'Opening of the depot', content: 'Hello,\n\nthe depot opens on 3 May.\n\nKarin', day: 1 },
  {
    title: 'Re: Opening of the depot',
    content:
      'From: Karin Smit\nTo: all@depot.example\n\nHello,\n\nthe depot opens on 20 May instead.\n\nKarin',
    day: 9,
  },
]

describe('an answer to a real question', () => {
  it('reads a phrase as its single word: "back up" is a backup, "turn on" is to enable', () => {
    const guide = {
      title: 'Operations',
      content: `## Copies

The backup command writes a file while the service runs.

## Upgrades

Go back to the old version if the service does not come up.`,
    }
    expect(answer('How do I back up?', [guide])).toMatch(/^The backup command writes a file/)
    const modes = {
      title: 'Log modes',
      content: `Queries fail when the server was turned off in compact mode on a slow disk.

Compact mode is enabled with the setting log.compact.`,
    }
    expect(answer('How do I turn on compact mode?', [modes])).toMatch(/^Compact mode is enabled/)
  })

  it('quotes the newest message of a thread, without its headers', () => {
    const text = answer('When does the depot open?', launch)
    expect(text).toBe('the depot opens on 20 May instead. [2]')
  })

  it('summarizes a document by the opening of each section', () => {
    const text = answer('Summarize the agreement with Polder Bikes', [agreement])
    for (const part of ['effective 1 May 2026. [1]', 'EUR 12,000. [1]', '18 months. [1]'])
      expect(text).toContain(part)
    expect(text).not.toContain('liability')
  })

  it('contains the steps of a procedure, not its preparations', () => {
    const runbook = {
      title: 'Restore the ledger',
      content: `# Restore the ledger

## Before you restore

Stop the ledger:

\`\`\`sh
systemctl stop ledger
\`\`\`

## Steps

1. Fetch the newest copy with \`depot fetch\`.
2. Unpack it on an empty volume.
3. Start the service again.`,
    }
    const text = answer('How do I restore the ledger?', [runbook])
    expect(text).toMatch(/Fetch the newest copy.*\n.*Unpack it.*\n.*Start the service again/)
  })

  it('answers the second part of a question from the document that answers the first', () => {
    const leave = {
      title: 'Leave',
      content: 'Parents get 14 weeks of parental leave. It is paid in full for twelve weeks.',
    }
    const text = answer('How long is parental leave and how is it paid?', [leave, agreement])
    expect(text).toContain('14 weeks')
    expect(text).toContain('paid in full')
    expect(text).not.toContain('[2]')
  })

  it("has the named vendor's price, not another's", () => {
    const prices = [
      { title: 'Price list of Zonn', content: 'Geocoding: EUR 0.70 per 1,000 requests' },
      { title: 'Price list of Brink', content: 'Geocoding: EUR 0.45 per 1,000 requests' },
    ]
    expect(answer('What does Brink charge for geocoding?', prices)).toMatch(/^Geocoding: EUR 0\.45/)
  })

  it('keeps the column header of a table row', () => {
    const sizes = {
      title: 'Meeting rooms',
      content: '| Room | Seats | Screen |\n|---|---|---|\n| Lek | 6 | none |\n| Waal | 12 | large |',
    }
    expect(answer('How many seats does Waal have?', [sizes])).toContain('Waal – Seats: 12 [1]')
  })

  it("begins with a page's opening if it asks what the page is about", () => {
    const page = {
      title: 'depot trim',
      content: `# depot trim

The trim command removes snapshots that no rule keeps.

## Examples

The time at which each copy starts is used for trim purposes.`,
    }
    expect(answer('What does depot trim do?', [page])).toMatch(/^(?:depot trim: )?The trim command removes/)
  })

  it('states the value of a default, not a sentence about defaults', () => {
    const page = {
      title: 'Queue settings',
      content: `The default batch size is multiplied by the number of workers.

## batch_size

How many messages a worker takes at once. Default: 8.`,
    }
    expect(answer('What is the default batch size?', [page])).toContain('Default: 8.')
  })

  it('has the command if it asks how', () => {
    const page = {
      title: 'Mail queue',
      content: `Flushing the queue while a server is down only makes the queue longer.

Flush the queue with "depot-mail -f".`,
    }
    expect(answer('How do I flush the queue?', [page])).toContain('Flush the queue with "depot-mail -f". [1]')
  })

  it('does not read a line of dashes as a term', () => {
    const page = {
      title: 'Pragmas',
      content: 'PRAGMA cache\n\n--------\n\nThe cache holds 200 pages unless it is set.',
    }
    expect(answer('How many pages does the cache hold?', [page])).not.toContain('---')
  })

  it.each([
    ['navigation', 'Home » Manual » Retention of logs » Contents » Index'],
    [
      'links to other pages',
      '| Prev | Up | Next |\n| Chapter 1. Retention of logs | Home | Chapter 3. Rotation of logs |',
    ],
    ['a license', 'Permission is granted to copy and distribute the retention of logs under this license.'],
    ['a diagram', '+------+ logs ---> retention ---> archive +------+'],
    ['code', '```js\nconst logs = retention(logs)\n```'],
    ['a heading', '## What is the retention of logs?'],
  ])('does not quote %s in place of the fact', (_, noise) => {
    const page = { title: 'Retention of logs', content: `${noise}\n\nLogs are deleted after 30 days.` }
    expect(answer('What is the retention of logs?', [page])).toMatch(
      /Logs are deleted after 30 days\. \[1\]$/,
    )
  })
})

describe('the closest match, if nothing seems to answer', () => {
  it('shares a word with the question if any passage does', () => {
    const pages = [
      { title: 'Salaries of drivers', content: 'Amounts are rounded to cents.' },
      { title: 'Illness', content: 'The full salary is paid for one year.' },
    ]
    expect(answer("What is the director's salary?", pages, true)).toBe(
      'Closest match: *Illness*\n\nThe full salary is paid for one year. [2]',
    )
  })
})

describe('chat messages whose titles are their first words', () => {
  const shipping: Document[] = [
    {
      title: '#support: We agreed to ship the data warehouse change on Tuesday at 731 percent of traffi…',
      content:
        'Ana Lima: We agreed to ship the data warehouse change on Tuesday at 731 percent of traffic. The budget for the data warehouse is 622 thousand for this quarter.\nLars Lima: The budget for the price list is 356 thousand for this quarter.\nElif Lima: Two customers asked about the backup job again, ticket 517 has the details.',
      metadata: { senders: ['Ana Lima', 'Lars Lima', 'Elif Lima'] },
    },
    {
      title: '#engineering: We agreed to ship the travel policy change on Tuesday at 688 percent of traffic.',
      content:
        'Kemi Lima: We agreed to ship the travel policy change on Tuesday at 688 percent of traffic.\nLars Lima: We agreed to ship the checkout change on Monday at 291 percent of traffic.\nBen Lima: We agreed to ship the data warehouse change on Tuesday at 435 percent of traffic.',
    },
  ]
  const slow: Document[] = [
    {
      title: '#sales: Kemi found out why the checkout was slow: 195 requests piled up behind one lock…',
      content:
        'Ines Lima: Kemi found out why the checkout was slow: 195 requests piled up behind one lock. The budget for the checkout is 97 thousand for this quarter.\nGrace Lima: Nobody touched the staging cluster since Wednesday, so the numbers should be stable.',
    },
    {
      title: '#general: Nobody touched the checkout since Wednesday, so the numbers should be stable. E…',
      content:
        'Elif Lima: Nobody touched the checkout since Wednesday, so the numbers should be stable. Elif is out on Thursday, ask Farid about the checkout instead.\nJonas Lima: Chidi found out why the customer survey was slow: 100 requests piled up behind one lock.',
    },
  ]

  it('answer by these words', () => {
    expect(answer('Who found out why the checkout was slow?', slow)).toMatch(
      /^Ines Lima: Kemi found out why the checkout was slow: 195 requests/,
    )
  })

  it('are all quoted if they differ in their numbers', () => {
    const text = answer('Who decided to ship the data warehouse change on Tuesday?', shipping)
    expect(text).toContain('Ana Lima: We agreed to ship the data warehouse change on Tuesday at 731 percent')
    expect(text).toContain('Ben Lima: We agreed to ship the data warehouse change on Tuesday at 435 percent')
  })

  it('name who wrote a later sentence of a message, or the only message, if a person is asked for', () => {
    expect(answer('Who knows the budget for the data warehouse?', shipping.slice(0, 1))).toMatch(
      /Ana Lima: (?:.*\[1\] )?The budget for the data warehouse is 622 thousand for this quarter\. \[1\]/,
    )
    const alone = {
      title: '#general: I decided to move the office to Lisbon.',
      content: 'I decided to move the office to Lisbon.',
      metadata: { senders: ['Ada Berg'] },
    }
    expect(answer('Who decided to move the office?', [alone])).toBe(
      'Ada Berg: I decided to move the office to Lisbon. [1]',
    )
    expect(answer('Where does the office move?', [alone])).toBe('I decided to move the office to Lisbon. [1]')
  })

  it('name the author who wrote a line, not the one that the line names', () => {
    const metadata = { senders: ['Ben', 'Anna'] }
    const content = (line: string) =>
      `Anna: I will read it.\nBen: The travel budget is ready.\n${line}\nAnna: Thanks.`
    const ask = (line: string) =>
      answer('Who approved the travel budget?', [{ title: '#finance', content: content(line), metadata }])
    expect(ask('Ben: Anna: I approve the travel budget.')).toContain(
      'Ben: Anna: I approve the travel budget.',
    )
    expect(ask('  I approve the travel budget.')).toMatch(
      /^Ben: The travel budget is ready\. (?:\[1\] )?I approve/,
    )
  })
})
