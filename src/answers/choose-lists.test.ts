import { describe, expect, it } from 'vitest'
import { tokenize } from '../inference/embedding-models/builtin/tokenize.ts'
import { inOneGo } from '../kernel/cooperative.ts'
import { createSynthesize } from './synthesize.ts'

const terms = { tokenize, backgroundWeight: () => 6, wordVector: () => null }
const synthesize = createSynthesize(terms)

function ask(question: string, content: string): string {
  const hit = {
    sourceItemId: 'a',
    title: 'Handbook',
    content,
    url: '',
    provider: 'notion' as const,
    score: 0.5,
    metadata: {},
    syncedAt: '2026-01-01T00:00:00Z',
  }
  return inOneGo(synthesize({ question, hits: [hit], around: [] }))
}

const CONSENT = `# Interviews

Bring a notebook and two pens.

Before giving consent, participants must understand:

- Nobody is paid for taking part.
- Pictures and quotes are recorded.
- Notes stay within the project.`

describe('an answer has the whole list', () => {
  it('whose introduction the question asks about', () => {
    expect(ask('What must participants understand before giving consent?', CONSENT)).toBe(
      'Before giving consent, participants must understand:\n- Nobody is paid for taking part. [1]\n' +
        '- Pictures and quotes are recorded. [1]\n- Notes stay within the project. [1]',
    )
  })

  it('unless one item has the words of the question', () => {
    const answer = ask('Are quotes of participants recorded?', CONSENT)
    expect(answer).toContain('Pictures and quotes are recorded. [1]')
    expect(answer).not.toContain('Nobody is paid')
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
    expect(ask('I have the welcome mail for Payslips Online, how do I go on?', content)).toMatch(
      /^A welcome mail .*\nPayslips:\n- Open its first link\. \[1\]\n- Enter .*\n- Choose a password\. \[1\]$/,
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
    const answer = ask('Somebody I worked with: is that a warm or a cold lead?', LEADS)
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
