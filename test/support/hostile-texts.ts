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

/** A hostile text and one of twice its size, named by their pattern. */
export interface HostileText {
  name: string
  text: string
  double: string
}

/** Texts that are known to slow down patterns and loops, `characters` long and double. */
export function hostileTexts(characters: number): HostileText[] {
  return PATTERNS.map((pattern) => {
    const text = pattern.repeat(Math.ceil(characters / pattern.length)).slice(0, characters)
    return { name: JSON.stringify(pattern), text, double: text + text }
  })
}

/** The allowed time of a double relative to its half: twice, plus a busy machine and garbage collection. */
const RATIO_MAX = 3.4
/** Whatever the ratio: for 1 MiB on a busy machine. */
const ABSOLUTE_MS = 10_000
const ATTEMPTS_MAX = 5

/**
 * Measures the CPU time of `work` on a text and on its double, the best of some attempts.
 * @param harmlessMs CPU time for the double below which nothing is wrong
 * @returns the fault, or null if the double takes about twice as long.
 */
export function findSuperlinear(
  { name, text, double }: HostileText,
  work: (text: string) => unknown,
  harmlessMs: number,
): string | null {
  let once = Infinity
  let twice = Infinity
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    twice = Math.min(
      twice,
      cpuMs(() => work(double)),
    )
    if (twice > ABSOLUTE_MS) return `${name}: ${twice.toFixed(0)} ms`
    if (twice <= harmlessMs) return null
    once = Math.min(
      once,
      cpuMs(() => work(text)),
    )
    if (twice <= once * RATIO_MAX) return null
  }
  return `${name}: ${once.toFixed(0)} ms, and ${twice.toFixed(0)} ms for twice as much`
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
