import { describe, expect, it } from 'vitest'
import { aHit } from '../../../test/support/hits.ts'
import { tokenize } from '../../inference/embedding-models/builtin/tokenize.ts'
import { inOneGo } from '../../kernel/cooperative.ts'
import { createSynthesize } from './synthesize.ts'

const terms = { tokenize, backgroundWeight: () => 6, translationsOf: () => [], wordVector: () => null }
const synthesize = createSynthesize(terms)

function ask(question: string, content: string): string {
  return inOneGo(synthesize({ question, hits: [aHit({ title: 'Handbook', content })], around: [] }))
}

const CONSENT = `# Interviews

Bring a notebook and two pens.

Before giving consent, participants must understand:

- Nobody is paid for taking part.
- Pictures and quotes are recorded.
- Notes stay within the project.
- Anybody may leave at any time.
- The office keeps recordings for a year.
- A summary is published on our website.
- Questions about money go to Ines.`

describe('an answer has the whole list', () => {
  it('whose introduction the question asks about', () => {
    expect(ask('What must participants understand before giving consent?', CONSENT)).toBe(
      'Before giving consent, participants must understand:\n- Nobody is paid for taking part. [1]\n' +
        '- Pictures and quotes are recorded. [1]\n- Notes stay within the project. [1]\n' +
        '- Anybody may leave at any time. [1]\n- The office keeps recordings for a year. [1]\n' +
        '- A summary is published on our website. [1]\n- Questions about money go to Ines. [1]',
    )
  })

  it('unless one item has the words of the question', () => {
    const answer = ask('Are quotes of participants recorded?', CONSENT)
    expect(answer).toContain('Pictures and quotes are recorded. [1]')
    expect(answer).not.toContain('Nobody is paid')
  })

  it('that the sentence that answers announces', () => {
    const content =
      'To borrow sick leave, send the following papers. Drafts are welcome.\n\n- The form\n- A letter of your doctor\n\nBring a pen.'
    expect(ask('How is sick leave borrowed?', content)).toBe(
      'To borrow sick leave, send the following papers:\n- The form [1]\n- A letter of your doctor [1]',
    )
  })

  it('of the steps below the sentence that answers', () => {
    const content = `# Accounts

## Payslips

A welcome mail for Payslips Online arrives within a week.

1. Open its first link.
2. Enter the number of your badge.
3. Choose a password.

## Badges

Badges are blue.`
    expect(ask('How do I go on with the welcome mail for Payslips Online?', content)).toMatch(
      /^A welcome mail .*\nPayslips:\n1\. Open its first link\. \[1\]\n2\. Enter .*\n3\. Choose a password\. \[1\]$/,
    )
  })
})

describe('a list longer than an answer', () => {
  it('begins with the passage that answers if its beginning has no room for it', () => {
    const entry = 'answers questions about desks, keys, plants, parking and everything else in this building'
    const people = ['Ada', 'Ben', 'Cleo', 'Dana', 'Emil', 'Fay', 'Gus', 'Hana', 'Ivo', 'Joy', 'Kai']
    const items = people.map((name) => `- ${name} ${entry}.`).join('\n')
    const answer = ask(
      'List the people to ask about payroll taxes',
      `# People\n\nPeople to ask:\n\n${items}\n- Lea answers questions about payroll taxes.`,
    )
    expect(answer).toContain('Lea answers questions about payroll taxes. [1]')
  })
})

describe('text below a heading that asks the same', () => {
  const QUESTIONS = `# Questions

## How do I run it with Postgres?

Set an address. Then start it again.

## Backups

Run a dump with Postgres:

\`\`\`sh
dump --with postgres
\`\`\``

  it('is the whole answer, without the heading', () => {
    expect(ask('How can I run it with Postgres?', QUESTIONS)).toBe(
      'Set an address. [1] Then start it again. [1]',
    )
  })

  it('is no answer to a question with other words', () => {
    expect(ask('How do I dump with Postgres?', QUESTIONS)).toContain('dump --with postgres')
  })
})

describe('an answer is no whole list or summary', () => {
  const content = `# Applying

A resume lists the last seven years.

## Help

- Mara can step in when a manager is ill.
- Noor orders pens.

## Travel

Trains are booked by Otto.`

  it.each([
    ['how many years go on a resume?', 'A resume lists the last seven years.'],
    ['Who can step in when a manager is ill?', 'Mara can step in when a manager is ill.'],
  ])('of other text: %s', (question, expected) => {
    const answer = ask(question, content)
    expect(answer).toContain(expected)
    expect(answer).not.toMatch(/Otto|pens/)
  })
})

describe('a sentence that only names what precedes it', () => {
  it('comes with the paragraph before', () => {
    const content = `# Reviews

Imagine that the other person had your role. Would you still say it?

This is sometimes called the “swap test”.`
    expect(ask('What is the "swap test"?', content)).toContain(
      'Imagine that the other person had your role. [1] Would you still say it? [1] This is sometimes called',
    )
  })
})

describe('an answer to a comparison', () => {
  const LEADS = `# Referrals

We accept these leads:

- Warm leads: you worked with them in the same project or team.
- Cold leads: you heard them speak or read an article.
- Lost: they declined.`

  it('has the entry of each', () => {
    const answer = ask('I worked with her. Is that a warm or a cold lead?', LEADS)
    expect(answer).toContain('Warm leads: you worked with them')
    expect(answer).toContain('Cold leads: you heard them speak')
    expect(answer).not.toContain('they declined')
  })
})

describe('an answer never quotes', () => {
  it.each([
    ['the address of a link', 'Complete the [form][form].\n\n[form]:\n  https://forms.example/access-form'],
    [
      'a tag that ends in another block',
      'The form is short.\n\n<div\n  class="form"\n  role="region"\n>\n  text\n</div>',
    ],
  ])('%s', (_, content) => {
    expect(ask('Where is the access form?', content)).not.toMatch(/forms\.example|class=|role=/)
  })
})
