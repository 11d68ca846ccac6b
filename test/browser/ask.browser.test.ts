import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type ConsoleRig, expectNoFaults, expectNoFaultsInThemes, startConsole } from './support/console.ts'

const MEMBER = 'mel@example.com'
const OWNER = 'ada@example.com'
const THREADED = 'tess@example.com'
const executablePath = inject('chromium')
const INJECTED = `Parking rules for the garage

Badges open the garage gate from six in the morning. <img src=x onerror="window.injected = 1"><script>window.injected = 2</script>
[the garage map](javascript:window.injected=3) <a href="javascript:window.injected=4" onclick="window.injected=5">gate</a> <svg onload="window.injected=6">

Visitors park on level two.`

let rig: ConsoleRig

describe.skipIf(executablePath === null)('asking in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
    await rig.join(MEMBER, 'member')
    await rig.join(OWNER, 'owner')
    await rig.join(THREADED, 'member')
    const { secret } = await rig.organization.mint({ actions: ['ingest'] })
    await rig.service.call('POST', '/v1/ingest', {
      key: secret,
      body: {
        documents: [
          {
            connectorId: rig.organization.sources.notion,
            provider: 'notion',
            sourceKind: 'document',
            externalId: 'garage',
            title: 'Garage <script>window.injected = 7</script>',
            body: INJECTED,
            url: 'https://wiki.example.com/garage',
          },
        ],
      },
    })
  })
  afterAll(() => rig.close())

  it('shows an answer whose markers show their passage, which opens in its document with a link to the original', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, MEMBER, 'ask')
    const answer = await ask(page, 'How many days of paid time off?')
    expect(await answer.innerText()).toContain('25 days')
    await page.getByRole('textbox', { name: 'Follow-up' }).waitFor()
    // The first question stays at the top, also while its thread is stored.
    expect(await page.evaluate<number>('globalThis.scrollY')).toBe(0)
    const marker = answer.getByRole('button', { name: 'Source 1: Vacation' }).first()
    await marker.focus()
    const preview = page.getByRole('tooltip')
    await preview.getByText('Employees accrue 25 days').waitFor()
    await marker.press('Enter')
    const panel = page.getByRole('dialog', { name: 'Vacation' })
    await panel.locator('mark').first().waitFor()
    // The sentences after it are not marked: the answer quotes them at other markers, or not at all.
    expect(await panel.locator('mark').allInnerTexts()).toEqual([
      'Employees accrue 25 days of paid time off per year.',
    ])
    expect(await panel.getByRole('link', { name: /Open the original at Notion/ }).getAttribute('href')).toBe(
      'https://wiki.example.com/vacation',
    )
    expect(new URL(page.url()).searchParams.get('item')).not.toBeNull()
    await expectNoFaults(page, 'an opened source')
    await page.goBack()
    await panel.waitFor({ state: 'detached' })
    await answer.getByText('25 days').first().waitFor()
    await close()
  })

  it('asks follow-ups with the conversation so far, and shows it above', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const bodies: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/console/ask') bodies.push(request.postData() ?? '')
    })
    await rig.signIn(page, MEMBER, 'ask')
    await ask(page, 'How many days of paid time off?')
    await page.getByRole('textbox', { name: 'Follow-up' }).fill('Do they expire?')
    await page.getByRole('button', { name: 'Ask follow-up' }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByRole('heading', { name: 'Do they expire?' }).waitFor()
    await answer.getByRole('button', { name: 'Copy the answer' }).waitFor()
    expect(await page.locator('main h2').allInnerTexts()).toEqual([
      'How many days of paid time off?',
      'Do they expire?',
    ])
    await page.getByRole('textbox', { name: 'Follow-up' }).and(page.locator(':focus')).waitFor()
    expect(bodies[0]).not.toContain('conversation')
    expect(JSON.parse(bodies[1] ?? '')).toMatchObject({
      query: 'Do they expire?',
      conversation: [{ question: 'How many days of paid time off?', answer: expect.stringContaining('25') }],
    })
    await expectNoFaults(page, 'a follow-up')
    await close()
  })

  it('distinguishes weak evidence from strong, in design and in words', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, MEMBER, 'ask')
    const strong = await ask(page, 'How many days of paid time off?')
    expect(await strong.getByText('Weak evidence').count()).toBe(0)
    const looks = (): Promise<string> =>
      page
        .getByRole('region', { name: 'Answer' })
        .evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).borderTopStyle)
    expect(await looks()).toBe('solid')
    await page.getByRole('main').getByRole('link', { name: 'New thread' }).click()
    const weak = await ask(page, 'Which river flows through Paris?')
    await weak.getByText('Weak evidence').waitFor()
    expect(await looks()).toBe('dashed')
    await expectNoFaults(page, 'weak evidence')
    await close()
  })

  it('keeps its filters in the URL: a link sets them, a change writes them, and going back removes them', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, MEMBER, 'ask?mode=search&q=travel')
    const results = page.getByRole('region', { name: 'Search results' })
    await results.getByRole('button', { name: 'Expenses' }).waitFor()
    await results
      .locator('mark', { hasText: /^travel$/ })
      .first()
      .waitFor()
    expect(await results.innerText()).toMatch(/Relevance\s+\d\.\d\d\s+Similarity\s+\d\.\d\d/)
    await results.getByText('document', { exact: true }).first().waitFor()
    await page.getByRole('checkbox', { name: 'Slack' }).press('Space')
    await page.getByText('No results').waitFor()
    expect(new URL(page.url()).searchParams.get('providers')).toBe('["slack"]')
    await page.goBack()
    await results.getByRole('button', { name: 'Expenses' }).waitFor()
    await page.goto(`${rig.service.url}/console/ask?mode=search&q=travel&author=Nobody%20Known`)
    await page.getByText('No results').waitFor()
    expect(await page.getByLabel('Author').inputValue()).toBe('Nobody Known')
    await page.getByRole('button', { name: 'Search without filters' }).click()
    await results.getByRole('button', { name: 'Expenses' }).waitFor()
    await expectNoFaults(page, 'search results')
    await close()
  })

  it("escapes a stored document's content wherever it appears", async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, OWNER, 'ask')
    const answer = await ask(page, 'When do badges open the garage gate?')
    await answer.getByText('six in the morning').first().waitFor()
    await answer.getByRole('button', { name: /^Source 1: Garage/ }).press('Enter')
    const panel = page.getByRole('dialog')
    await panel.getByText('Visitors park on level two.').waitFor()
    expect(await panel.innerText()).toContain('Badges open the garage gate')
    expect(await page.locator('[role="dialog"] :is(img, script, svg[onload])').count()).toBe(0)
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    await page.goto(`${rig.service.url}/console/ask?mode=search&q=garage%20gate`)
    await page.getByRole('region', { name: 'Search results' }).getByText('level two').waitFor()
    expect(await page.locator('main img, main script, main svg[onload]').count()).toBe(0)
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    expect(await page.evaluate(() => 'injected' in globalThis)).toBe(false)
    await close()
  })

  it("renders a model's output as text and safe links only", async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const text =
      'See **this** [1] <img src=x onerror="window.injected=1"> [a](javascript:alert(1)) [b](https://ok.example/) [9]'
    const item = {
      sourceItemId: '5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60',
      title: 'Paper',
      content: 'Words',
      url: '',
      provider: 'notion',
      score: 0.5,
    }
    const whole = { question: 'q', answer: text, citations: [], context: [item], limitations: [] }
    const events: [string, object][] = [
      ['context', { context: [item] }],
      ['delta', { text }],
      ['done', whole],
    ]
    await page.route('**/v1/console/ask', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
      }),
    )
    await rig.signIn(page, MEMBER, 'ask')
    const answer = await ask(page, 'q')
    await answer.getByRole('button', { name: 'Source 1: Paper' }).first().waitFor()
    expect(await answer.locator('strong').innerText()).toBe('this')
    expect(
      await answer.getByRole('link').evaluateAll((links) => links.map((a) => a.getAttribute('href'))),
    ).toEqual(['https://ok.example/'])
    expect(await answer.innerText()).toContain('[9]')
    expect(await answer.locator('img').count()).toBe(0)
    await close()
  })

  it('stops a running answer, keeps what was written, and says when one ends early', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, MEMBER, 'ask')
    const over = Promise.withResolvers<void>()
    await page.route('**/v1/console/ask', () => over.promise)
    await page.getByRole('textbox', { name: 'Question' }).fill('How many days of paid time off?')
    await page.getByRole('textbox', { name: 'Question' }).press('Enter')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped before the first word.').waitFor()
    over.resolve()
    await page.unroute('**/v1/console/ask')
    await page.getByRole('button', { name: 'Ask again' }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByRole('button', { name: 'Copy the answer' }).waitFor()
    expect(await answer.innerText()).toContain('25 days')
    const message = 'The answer reached its limit and ends early; ask a narrower question'
    const done = {
      question: 'Everything?',
      answer: 'It begins',
      citations: [],
      context: [],
      limitations: [{ code: 'answer_truncated', message }],
    }
    await page.route('**/v1/console/ask', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `event: done\ndata: ${JSON.stringify(done)}\n\n`,
      }),
    )
    await page.getByRole('textbox', { name: 'Follow-up' }).fill('Everything?')
    await page.getByRole('textbox', { name: 'Follow-up' }).press('Enter')
    await answer.locator('[aria-live]').getByText(message).waitFor()
    expect(await answer.innerText()).toContain('It begins')
    await close()
  })

  it("shows the service's reason for a missing answer, with the request's id", async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await page.route('**/v1/console/ask', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'x-request-id': 'req-of-this-test' },
        json: { error: 'All credits of this period are used', code: 'quota_exceeded' },
      }),
    )
    await rig.signIn(page, OWNER, 'ask')
    await page.getByRole('textbox', { name: 'Question' }).fill('Anything?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('All credits of this period are used').waitFor()
    expect(await alert.innerText()).toContain('req-of-this-test')
    const plan = page.getByRole('main').getByRole('link', { name: 'See the plan' })
    expect(await plan.getAttribute('href')).toBe('/console/billing')
    await close()
  })

  it("keeps questions in a user's thread, which can be continued, rated, found again and deleted", async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    let asked = 0
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/console/ask') asked++
    })
    await rig.signIn(page, THREADED, 'ask')
    await ask(page, 'Who approves travel?')
    const followUp = page.getByRole('textbox', { name: 'Follow-up' })
    await followUp.fill('How many days of paid time off?')
    await followUp.press('Enter')
    const earlier = page.getByRole('heading', { name: 'Who approves travel?' })
    await earlier.waitFor()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('25 days').first().waitFor()
    await answer.getByRole('button', { name: 'Wrong' }).press('Enter')
    await answer.getByText('Recorded.').waitFor()
    expect(await answer.getByRole('button', { name: 'Wrong' }).getAttribute('aria-pressed')).toBe('true')
    await expectNoFaultsInThemes(page, 'a thread')
    const thread = new URL(page.url()).searchParams.get('thread')
    await page.goto(`${rig.service.url}/console/ask?thread=${thread}`)
    await earlier.waitFor()
    expect(await page.locator('main h2').allInnerTexts()).toEqual([
      'Who approves travel?',
      'How many days of paid time off?',
    ])
    await page.getByRole('button', { name: 'Source 1: Vacation' }).first().press('Enter')
    const panel = page.getByRole('dialog', { name: 'Vacation' })
    expect(await panel.locator('mark').first().innerText()).toContain('25 days')
    await page.keyboard.press('Escape')
    await page.getByRole('main').getByRole('link', { name: 'New thread' }).click()
    await page.getByRole('link', { name: /Who approves travel\? 2 questions/ }).click()
    await earlier.waitFor()
    expect(asked).toBe(2)
    await page.getByRole('button', { name: 'Delete thread' }).click()
    await page.getByRole('button', { name: 'Delete the thread' }).click()
    await page.getByRole('region', { name: 'Suggestions' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: /Who approves travel/ }).count()).toBe(0)
    await ask(page, 'Who approves travel?')
    await page.getByRole('main').getByRole('link', { name: 'New thread' }).click()
    await page.getByRole('button', { name: 'Delete thread: Who approves travel?' }).press('Enter')
    await page.getByRole('button', { name: 'Delete the thread' }).click()
    await expect.poll(() => page.getByRole('link', { name: /Who approves travel/ }).count()).toBe(0)
    await close()
  })

  it('focuses the question field, suggests questions, submits none from a link, and offers no thorough answer without a language model', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    let asked = 0
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/console/ask') asked++
    })
    await rig.signIn(page, THREADED, 'ask?q=Who%20answers%20pages%3F&effort=high')
    const box = page.getByRole('textbox', { name: 'Question' })
    expect(await box.inputValue()).toBe('Who answers pages?')
    await box.and(page.locator(':focus')).waitFor()
    const suggested = page.getByRole('region', { name: 'Suggestions' })
    await suggested.getByRole('button').first().waitFor()
    expect(asked).toBe(0)
    expect(await page.getByRole('switch').count()).toBe(0)
    await expectNoFaults(page, 'suggested questions')
    await suggested.getByRole('button').first().click()
    await page.getByRole('region', { name: 'Answer' }).waitFor()
    expect(asked).toBe(1)
    await close()
  })

  it('says that the workspace has no plan before anyone asks', async () => {
    const { email } = await rig.settle('owner', { status: 'canceled' })
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'ask')
    await page.getByText('This workspace has no active plan').waitFor()
    await expectNoFaults(page, 'a workspace without a plan')
    await close()
  })

  it('says that nothing is stored, and leads admins to the sources', async () => {
    const { email } = await rig.settle()
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'ask')
    const notice = page.getByRole('status').filter({ hasText: 'Nothing is stored yet' })
    await notice.waitFor()
    await expectNoFaultsInThemes(page, 'an empty memory')
    await notice.getByRole('link', { name: 'Add a source' }).click()
    await page.getByRole('heading', { name: 'Add a source', level: 1 }).waitFor()
    await close()
  })

  it('shows members without a plan whom to ask, and offers them no plan', async () => {
    const { email } = await rig.settle('member', { status: 'canceled' })
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email, 'ask')
    await page.getByText('Ask an admin of the workspace to choose a plan.').waitFor()
    expect(await page.getByRole('link', { name: 'Choose a plan' }).count()).toBe(0)
    await close()
  })

  it('answers thoroughly when a language model is set, and shows each step', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await page.route('**/console/config.json', async (route) => {
      const config = await (await route.fetch()).json()
      await route.fulfill({ json: { ...config, hasLanguageModel: true } })
    })
    let effort: unknown = null
    const done = { question: 'Who?', answer: 'Ada.', citations: [], context: [], limitations: [] }
    const events: [string, object][] = [
      ['step', { step: 'rewrite', queries: ['Who?', 'owner'] }],
      ['step', { step: 'search', query: 'owner', hitCount: 3 }],
      ['step', { step: 'read', isEnough: true, queries: [] }],
      ['done', done],
    ]
    await page.route('**/v1/console/ask', async (route) => {
      effort = JSON.parse(route.request().postData() ?? '{}').effort
      const body = events
        .map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
        .join('')
      await route.fulfill({ contentType: 'text/event-stream', body })
    })
    await rig.signIn(page, MEMBER, 'ask')
    await page.getByRole('switch', { name: 'Thorough' }).press('Space')
    await expect.poll(() => new URL(page.url()).searchParams.get('effort')).toBe('high')
    await page.getByRole('textbox', { name: 'Question' }).fill('Who?')
    await page.getByRole('textbox', { name: 'Question' }).press('Enter')
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('Ada.').waitFor()
    expect(effort).toBe('high')
    await answer.getByText('1 search', { exact: true }).click()
    await answer.getByText('Searched “owner”: 3 passages').waitFor()
    await answer.getByText('Read the passages: enough for an answer').waitFor()
    await expectNoFaultsInThemes(page, 'a thorough answer')
    await close()
  })

  it('can be used at 360 pixels with only the keyboard, with the source covering the screen', async () => {
    const { page, close } = await rig.openTab({
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
      bypassCSP: true,
    })
    await rig.signIn(page, MEMBER, 'ask')
    await page.getByRole('textbox', { name: 'Question' }).press('Shift+Enter')
    const answer = await ask(page, 'How many days of paid time off?')
    expect(await page.locator('html').evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(360)
    await answer.getByRole('button', { name: 'Source 1: Vacation' }).first().press('Enter')
    const panel = page.getByRole('dialog', { name: 'Vacation' })
    await panel.locator('mark').first().waitFor()
    // The panel slides in, which leaves fractions of a pixel.
    expect((await panel.boundingBox())?.width).toBeCloseTo(360, 1)
    await expectNoFaults(page, 'an opened source at 360 pixels')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.goto(`${rig.service.url}/console/ask?mode=search&q=travel`)
    await page.getByRole('region', { name: 'Search results' }).waitFor()
    expect(await page.getByLabel('Author').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Filters' }).press('Enter')
    await page.getByLabel('Author').waitFor()
    await expectNoFaults(page, 'the filters at 360 pixels')
    await close()
  })
})

/** Asks, and waits for the whole answer. */
async function ask(page: Page, question: string) {
  await page.getByRole('textbox', { name: 'Question' }).fill(question)
  await page.getByRole('textbox', { name: 'Question' }).press('Enter')
  const answer = page.getByRole('region', { name: 'Answer' })
  await answer.getByRole('button', { name: 'Copy the answer' }).waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  return answer
}
