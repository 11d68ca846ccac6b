import { describe, expect, it } from 'vitest'
import { aHit } from '../../../test/support/hits.ts'
import { tokenize } from '../../inference/embedding-models/builtin/tokenize.ts'
import type { Hit } from '../../retrieval/index.ts'
import { inOneGo } from '../../kernel/cooperative.ts'
import type { Material } from './read-material.ts'
import { createSynthesize } from './synthesize.ts'

const COMMON = new Set(['team', 'compani', 'member', 'time', 'day', 'day'])
const terms = {
  tokenize,
  backgroundWeight: (stem: string) => (COMMON.has(stem) ? 2 : 6),
  translationsOf: () => [],
  wordVector: () => null,
}

const hit = (title: string, content: string, score = 0.5): Hit =>
  aHit({ sourceItemId: title, title, content, score })

const handbook = [
  hit(
    'Remote work',
    'Welcome to our handbook. It is a living document. Everyone may work from anywhere. ' +
      'Laptops are ordered through the service desk. A laptop is replaced every 36 months. Please be patient.',
  ),
  hit(
    'Expenses',
    '# Expenses\n\nThis page is about expenses.\n\n## Hotels\n\nThe nightly limits for hotels are:\n\n' +
      '- Berlin: 180 EUR\n- Oslo: 240 EUR\n\n## Meals\n\nMeals are reimbursed up to 50 EUR a day. They need a receipt.',
  ),
  hit('Contacts', '| Area | Owner |\n|---|---|\n| Payroll | Ines Okafor |\n| Security | Tomas Reyes |'),
]
const synthesize = createSynthesize(terms)
const ask = (question: string, hits: readonly Hit[] = handbook): string =>
  inOneGo(synthesize({ question, hits, around: [] }))

describe('a synthesis', () => {
  it('is the sentence that answers, with its marker, not the first lines of the hits', () => {
    expect(ask('How often is a laptop replaced?')).toMatch(/^A laptop is replaced every 36 months\. \[1\]/)
    expect(ask('How often is a laptop replaced?')).not.toContain('Welcome')
  })

  it('puts list items below their introduction', () => {
    expect(ask('What is the nightly limit for hotels?')).toContain(
      'The nightly limits for hotels are:\n- Berlin: 180 EUR [2]\n- Oslo: 240 EUR [2]',
    )
  })

  it('is the text below a heading that asks the same, even with a single word in common', () => {
    const hits = [
      hit(
        'FAQ',
        '### What roles are there?\n\nGuests read. Clerks also write, and a clerk may lend a role to a guest.\n\n' +
          '### What are the clerks?\n\nClerks keep the books.',
      ),
    ]
    expect(ask('What roles are there?', hits)).toBe(
      'Guests read. [1] Clerks also write, and a clerk may lend a role to a guest. [1]',
    )
  })

  it('reads table rows', () => {
    expect(ask('Who is the owner of payroll?')).toMatch(/^Payroll – Owner: Ines Okafor \[3\]/m)
  })

  it('includes the sentence that a chosen one refers to', () => {
    expect(ask('Do meals need a receipt?')).toContain(
      'Meals are reimbursed up to 50 EUR a day. [2] They need a receipt. [2]',
    )
  })

  it('supports the best passage by others that also answer, up to the length of an answer', () => {
    const hits = [
      hit('Leaving', 'Both sides give notice eight weeks ahead.'),
      hit('Trial', 'In a trial two weeks of notice are enough.'),
      hit('Payroll', 'Payroll closes an account once notice ends.'),
    ]
    const more = Array.from({ length: 40 }, (_, at) =>
      hit(`Visa ${at}`, `Visa ${at} ends with notice ${'x'.repeat(at)}.`),
    )
    const answer = ask('What about notice?', [...hits, ...more])
    expect(answer.match(/\[\d+\]/g)?.length).toBeGreaterThan(1)
    expect(answer.replaceAll(/\s*\[\d+\]/g, '').length).toBeLessThanOrEqual(900)
    expect(ask('What about notice and payroll?', hits)).toContain('[3]')
  })

  it('prefers a sentence with the requested kind of value', () => {
    const hits = [
      hit('Launch', 'The launch of Heron is a big moment for all. The launch of Heron is on 4 May 2026.'),
    ]
    expect(ask('When is the launch of Heron?', hits)).toMatch(/^The launch of Heron is on 4 May 2026\. \[1\]/)
  })

  it('answers a question in a document with the text after it', () => {
    const hits = [
      hit('FAQ', 'Can I bring my dog to the office?\n\nYes, on Fridays, when all in the room agree.'),
    ]
    expect(ask('Can I bring my dog to the office?', hits)).toContain(
      'Yes, on Fridays, when all in the room agree. [1]',
    )
  })

  it('is never code that only repeats the question, unless there is nothing else', () => {
    const example = '```sh\nmemory ask "how often is a laptop replaced"\n```'
    const answer = ask('How often is a laptop replaced?', [hit('Guide', `Ask:\n\n${example}`), ...handbook])
    expect(answer).toMatch(/^A laptop is replaced every 36 months\. \[2\]/)
    expect(answer).not.toContain('memory ask')
    expect(ask('How often is a laptop replaced?', [hit('Guide', example)])).toContain('memory ask')
  })

  it('shows the best passage of the first hits even if another shares more words with the question', () => {
    const hits = [
      hit('Vacation', 'Everybody gets 28 days. The calendar shows them.'),
      hit('Survey', 'We asked how many vacation days people wish for and many days they got.'),
    ]
    expect(ask('How many vacation days do I get?', hits)).toContain('Everybody gets 28 days. [1]')
  })

  it('shows the command of the section for a question that asks how', () => {
    const command = 'npm run memory -- backup /backups/memory.tar.zst'
    const guide = hit(
      'Back up',
      `# Back up\n\n\`\`\`sh\n${command}\n\`\`\`\n\nA backup runs while the service is used. Add \`--offline\` once it is stopped.`,
    )
    expect(ask('How do I back up?', [guide])).toContain(command)
    expect(ask('When can a backup run?', [guide])).not.toContain(command)
  })

  it('does not repeat itself', () => {
    const same = 'The office in Lyon opens at eight.'
    expect(ask('When does the office in Lyon open?', [hit('A', same), hit('B', same)])).toBe(`${same} [1]`)
  })

  it('is deterministic', () => {
    expect(ask('What are the limits for meals and hotels?')).toBe(
      ask('What are the limits for meals and hotels?'),
    )
  })

  it('stays short and valid, whatever the documents contain', () => {
    const long = hit('Long', `Heron ${'is described at very great length in this one sentence '.repeat(60)}.`)
    const many = hit(
      'Many',
      Array.from({ length: 50 }, (_, i) => `Heron has part number ${i} in it.`).join(' '),
    )
    for (const hits of [[long], [many], [long, many]])
      expect(ask('What is Heron?', hits).length).toBeLessThan(1300)
  })

  it('contains only its own markers', () => {
    const hits = [hit('Refs', 'Heron was built in Kiel [7]. See [2] for more on Heron, or `birds[3]`.')]
    const answer = ask('Where was Heron built, and where is more on birds?', hits)
    expect(answer).toContain('Heron was built in Kiel. [1]')
    expect(new Set([...answer.matchAll(/\[\d+\]/g)].map(String))).toEqual(new Set(['[1]']))
  })

  it('shows something even without shared words, without sentences, or with only a title', () => {
    expect(ask('quokka', [hit('A', 'Paid leave is 28 days.')])).toBe('Paid leave is 28 days. [1]')
    expect(ask('quokka', [hit('A', '# Paid leave')])).toContain('Paid leave [1]')
    expect(ask('quokka', [hit('Paid leave', '')])).toBe('Paid leave [1]')
  })
})

describe('an answer to a question for one fact', () => {
  const ports = hit(
    'Ports of the mail cluster',
    'The time server listens on `port = 123` as usual.\n\n' +
      '| Service | Protocol | Port |\n|---|---|---|\n| IMAP | tcp | 143 |\n| IMAPS | tcp | 993 |\n| NTP | udp | 123 |',
  )
  const server = hit(
    'Server',
    '# Server\n\n### `connectionTimeout`\n\n+ Default: `0` (no timeout)\n\nDefines the server timeout in milliseconds.\n\n' +
      '### `keepAliveTimeout`\n\n+ Default: `72000` (72 seconds)\n\nDefines the server keep-alive timeout in milliseconds.\n\n' +
      '### `handlerTimeout`\n\n+ Default: `0`\n\nThe timeout is cooperative: when it fires, the work goes on.',
  )
  const page = hit(
    'tarn(1)',
    'OPTIONS\n       -t, --list\n              Show the names of what is in the archive.\n\n       -k, --keep-old\n' +
      '              Do not overwrite files that are there.\n\n       -z, --squeeze LEVEL\n              Compress with LEVEL. The default is 6.\n',
  )

  it('is the requested row with the requested columns', () => {
    expect(ask('Which port does IMAP over SSL use?', [ports])).toMatch(/^[^.]*IMAPS – Port: 993 \[1\]/)
    expect(ask('Which protocol does NTP use?', [ports])).toMatch(/NTP – Protocol: udp \[1\]/)
  })

  it('prefers that row to a passage of an earlier hit with more of the question beside it', () => {
    const support = hit(
      'Long term support of Tarn',
      'Support is long for a term, as for example for patches of the releases 3 and 5.',
    )
    const schedule = hit(
      'Releases',
      '| Version | Out | End of support |\n|---|---|---|\n| 3 | 2020 | 2023-06-30 |\n| 4 | 2022 | 2025-06-30 |',
    )
    expect(ask('When does support of Tarn 4 end?', [support, schedule])).toMatch(
      /^4 – End of support: 2025-06-30 \[2\]/,
    )
  })

  it('is the default of the setting in the question, not of its neighbor', () => {
    const answer = ask('What is the default keep-alive timeout of the server?', [server])
    expect(answer).toMatch(/^`keepAliveTimeout`:\s(?:- )?Default: `72000` \(72 seconds\) \[1\]/)
    expect(answer).not.toContain('cooperative')
    expect(ask('What is the default of --squeeze?', [page])).toBe(
      '-z, --squeeze LEVEL – Compress with LEVEL. The default is 6. [1]',
    )
  })

  it('begins with the option and its description', () => {
    expect(ask('Which option shows the names in the archive?', [page, ports])).toMatch(
      /^(?:- )?-t, --list – Show the names of what is in the archive\. \[1\]/,
    )
  })

  it('is the meaning of the term in the requested spelling', () => {
    const abbreviations = hit(
      'Abbreviations',
      '- DRI – directly responsible individual\n- RCA – root cause analysis',
    )
    const other = hit('qsync', '  -n, --dry-run   copy nothing\n  --delete        remove files')
    expect(ask('What does DRI mean?', [other, abbreviations])).toMatch(
      /^(?:Abbreviations: )?DRI – directly responsible individual \[2\]/,
    )
  })

  it('is all steps in order if the question asks for steps', () => {
    const steps = hit(
      'Certificates',
      'To renew a certificate:\n\n1. Log in to bastion.\n2. Run renew.\n3. Reload the proxies.',
    )
    expect(ask('What are the steps to renew a certificate?', [steps])).toBe(
      'To renew a certificate:\n1. Log in to bastion. [1]\n2. Run renew. [1]\n3. Reload the proxies. [1]',
    )
  })

  it('has a number that the question does not have', () => {
    const chat = hit(
      'Chat',
      'Lena: is release 5.14 still on?\nKofi: release 5.14 is the big one.\nKofi: release 5.14 is on 10 March.',
    )
    expect(ask('When is release 5.14?', [chat])).toMatch(/^Kofi: release 5\.14 is on 10 March\./)
  })

  it('is the reply to the question in a chat', () => {
    const chat = hit('Lunch', 'Mei: who brings the grill?\nJonas: Dmitri.\nMei: great, see you at the lake')
    expect(ask('Who brings the grill?', [chat])).toContain('Jonas: Dmitri. [1]')
  })
})

describe('an answer to a question with two parts', () => {
  it('answers both, the second with the subject of the first', () => {
    const log = hit(
      'Logging',
      'By default Tarn logs to syslog. Logs rotate every week. The setting log_path changes where Tarn logs.',
    )
    const answer = ask('Where does Tarn log by default and which setting changes that?', [log])
    expect(answer).toMatch(/By default Tarn logs to syslog\. \[1\]/)
    expect(answer).toMatch(/The setting log_path changes where Tarn logs\. \[1\]/)
  })
})

describe('an answer from the surroundings of hits', () => {
  const about = (content: string, before: string | null, after: string | null): Material => ({
    question: 'What is the default of gc.auto?',
    hits: [hit('git-config', content)],
    around: [
      {
        position: 1,
        heading: 'Variables',
        changedAt: new Date(0),
        beside: [
          ...(before === null ? [] : [{ position: 0, heading: null, content: before }]),
          ...(after === null ? [] : [{ position: 2, heading: null, content: after }]),
        ],
      },
    ],
  })

  it('uses the term at the end of the previous chunk', () => {
    const text = 'Git packs loose objects when there are more than this. The default value is 6700.'
    expect(inOneGo(synthesize(about(text, 'Other text stands here.\n\ngc.auto', null)))).toBe(
      `gc.auto – ${text} [1]`,
    )
  })

  it('cites the hit for text of the next chunk', () => {
    const answer = inOneGo(
      synthesize(about('gc.auto packs objects.', null, 'The default of gc.auto is 6700.')),
    )
    expect(answer).toContain('The default of gc.auto is 6700. [1]')
  })

  it('has the header of a table that continues in the next chunk', () => {
    const material = about('| Name | Port |\n|---|---|\n| imap | 143 |', null, '| imaps | 993 |')
    expect(inOneGo(synthesize({ ...material, question: 'Which port does imaps use?' }))).toContain(
      'imaps – Port: 993 [1]',
    )
  })
})

describe('an answer if nothing seems to answer', () => {
  it('is the closest passage with the text after it, and its place', () => {
    const hits = [
      hit(
        'Payments [2]',
        '## Payouts\n\nPayouts reach the bank within two days. On holidays, payouts take two more.\n\n## Fees\n\nA payout is free.',
      ),
      hit('Leave', 'Everybody gets 28 days.'),
    ]
    const material = { question: 'How long until payouts reach my uncle?', hits, around: [], isWeak: true }
    expect(inOneGo(synthesize(material))).toBe(
      'Closest match: *Payments › Payouts*\n\nPayouts reach the bank within two days. [1] On holidays, payouts take two more. [1]',
    )
  })

  it('names no place if the closest passage has a blank title and no heading', () => {
    const material = {
      question: 'How long until payouts reach my uncle?',
      hits: [hit(' ', 'Payouts reach the bank within two days.')],
      around: [],
      isWeak: true,
    }
    expect(inOneGo(synthesize(material))).toBe('Payouts reach the bank within two days. [1]')
  })
})

describe('an answer never has', () => {
  it('the columns of a row without the one that names who is asked for', () => {
    const owners = hit('Areas', '| Area | Owner | Room |\n|---|---|---|\n| Payroll | Ines Okafor | 12 |')
    expect(ask('Who owns payroll?', [owners])).toMatch(/Payroll – Owner: Ines Okafor/)
  })

  it('the columns of a row without those that the second part of a question asks for', () => {
    const leave = hit(
      'Other leave',
      '| Type | Days | Paid by |\n|---|---|---|\n| Parental leave | 28 | Social security |\n| Moving | 1 | Employer |',
    )
    expect(ask('How many days of parental leave are there, and who pays?', [leave])).toMatch(
      /^Parental leave – Days: 28; Paid by: Social security \[1\]/,
    )
  })

  it('a license or navigation if anything else is stored', () => {
    const pages = [
      hit(
        'Backup',
        'Permission is granted to copy, distribute and back up this backup document under the GFDL.',
      ),
      hit('Guide', 'You back up the memory with the backup command once a day.'),
    ]
    expect(ask('How do I back up?', pages)).toMatch(/^You back up the memory/)
  })
})
