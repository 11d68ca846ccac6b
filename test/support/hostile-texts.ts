/** Patterns of hostile texts: each is repeated to the required size. */
const PATTERNS: readonly string[] = [
  ' ',
  '\t',
  '\n',
  '\r\n',
  ' \n',
  '[',
  '![',
  '[[9]',
  '[1, ',
  '[9] ',
  '[x][',
  '![](',
  '(',
  '<',
  '<!--',
  '<page ',
  '<a href="',
  '<br>',
  '<@U1|',
  '*',
  '*a ',
  '_',
  '__a ',
  '`',
  '```\n',
  '~~~a\n',
  '- a\n',
  ' - a\n',
  '> ',
  '> a\n',
  '|',
  '|\n',
  'a|\n:-\n',
  '# a\n',
  'a\n===\n',
  '{{<',
  '\\',
  '&',
  '&amp;',
  '1',
  '1. a\n',
  '1.',
  '"',
  "'",
  'a. ',
  'A.B. ',
  '!?',
  'From: ',
  'From: a\nSent: b\n',
  'On 1 Ana wrote 10:12 x:x:\n',
  'On Mon 10:12 a@b.example wrote ',
  'Re: ',
  '=?utf-8?q?',
  ',',
  'a@b.example, ',
  '<a@b>, ',
  '-----',
  'a',
  'word ',
  'Ü',
  '\u0301',
  'a\u0316\u0301',
  '\u0e01',
  '漢',
  '\u200b',
  '\u200d\u{1F469}',
  '\ud83d',
  '\u{1F600}',
  '\ufdfa',
  '\0',
  '\ue000',
  '\n\n\n\u00a0',
]

/** How much longer the long text is: at this distance, noise does not hide quadratic time. */
const TIMES = 4

/** A hostile text and one of four times its size, named by their pattern. */
export interface HostileText {
  name: string
  text: string
  long: string
}

/** Texts that are known to slow down patterns and loops, about `characters` long and four times as long. */
export function hostileTexts(characters: number): HostileText[] {
  return PATTERNS.map((pattern) => hostileTextOf(pattern, characters))
}

/** A pattern repeated to about `characters`, and to four times as many. */
export function hostileTextOf(pattern: string, characters: number): HostileText {
  const count = Math.ceil(characters / pattern.length)
  // Whole patterns only: a cut one in the middle would make the long text a different one.
  return { name: JSON.stringify(pattern), text: pattern.repeat(count), long: pattern.repeat(TIMES * count) }
}

/** Quadratic time takes 16 times as long, linear time 4 times, plus a busy machine and garbage collection. */
const RATIO_MAX = 8
/** So slow at a quarter of the size that the growth shows there already. */
const SHOWS_MS = 5
/** Less than {@link RATIO_MAX}, since what exceeds it is measured again at full size. */
const EARLY_RATIO_MAX = 6
const EARLY_ATTEMPTS_MAX = 2
/** Accepted with any ratio, for 1 MiB on a busy machine. */
const ABSOLUTE_MS = 10_000
const ATTEMPTS_MAX = 5

/**
 * Measures the CPU time of `work` on a text and on the long one, the best of some attempts. Slow work is measured on
 * shorter texts first: most of it turns out to be linear there.
 * @param harmlessMs CPU time for the long text below which nothing is wrong
 * @returns the fault, or null if the time is about proportional to the length.
 */
export function findSuperlinear(
  { name, text, long }: HostileText,
  work: (text: string) => unknown,
  harmlessMs: number,
): string | null {
  const measure = bestOf(work)
  const shorter = text.slice(0, text.length / TIMES)
  for (let attempt = 0; attempt < EARLY_ATTEMPTS_MAX; attempt++) {
    const ofText = measure(text)
    // Even cubic time would leave the long text harmless.
    if (ofText <= harmlessMs / TIMES ** 3) return null
    if (ofText >= SHOWS_MS && ofText <= measure(shorter) * EARLY_RATIO_MAX) return null
  }
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const ofLong = measure(long)
    if (ofLong > ABSOLUTE_MS) return `${name}: ${ofLong.toFixed(0)} ms`
    if (ofLong <= harmlessMs || ofLong <= measure(text) * RATIO_MAX) return null
  }
  return `${name}: ${measure(text).toFixed(0)} ms, and ${measure(long).toFixed(0)} ms for ${TIMES} times as much`
}

/** The least CPU time that each text has taken so far, in milliseconds. */
function bestOf(work: (text: string) => unknown): (text: string) => number {
  const best = new Map<string, number>()
  return (text) => {
    const least = Math.min(
      best.get(text) ?? Infinity,
      cpuMs(() => work(text)),
    )
    best.set(text, least)
    return least
  }
}

/** Only this thread's time; other threads do not count. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
