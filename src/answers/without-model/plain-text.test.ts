import { describe, expect, it } from 'vitest'
import { plainText } from './plain-text.ts'

describe('text for an answer', () => {
  it.each([
    ['See the [**guide**](https://x.example/a_(b)) and [docs][ref].', 'See the guide and docs.'],
    ['**(C) Champion: *the person* with *power***', '(C) Champion: the person with power'],
    [
      'Keep `a * b` and snake_case_names, __init__ and 2*3*4.',
      'Keep `a * b` and snake_case_names, __init__ and 2*3*4.',
    ],
    ['![logo](x.png) Tea<br/>&amp; &quot;cake&quot; <!-- no --> <b>now</b>', 'Tea & "cake" now'],
    ['Ask in [`#help`](x) or <https://x.example/y>', 'Ask in `#help` or https://x.example/y'],
    ['~~Old~~ _new_ \\*star\\* {{< note >}}', 'Old new *star*'],
    ['A lone `tick and **bold', 'A lone tick and bold'],
    ['The [`pre` hook](./a.md#pre), <a href="x">here</a>: \\[[more](y)\\]', 'The `pre` hook, here: [more]'],
    ['The [guide [PDF - 61 KB]](https://x.example/a.pdf) helps', 'The guide PDF - 61 KB helps'],
    [
      'Post in {% channel "people-ops" %}, see {% include "a/b.html" %}{% endif %}here',
      'Post in people-ops, see here',
    ],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['Working groups {#working-groups .wide}', 'Working groups'],
    ['Leave {: #leave}', 'Leave'],
    ['Made in 1955 [1][3], sold [2][4][5] since.', 'Made in 1955, sold since.'],
    ['Default: `[429, 500, 502]`, not [1, 2] or `at[1, 2]`', 'Default: `429, 500, 502`, not or `at`'],
  ])('has no markup left: %s', (markup, expected) => {
    expect(plainText(markup)).toBe(expected)
  })

  it.each(['A fact.[3]', 'A fact. [1, 2]', 'Code `list[0]` here', 'A fact. [^4]'])(
    'has nothing that reads as a citation: %s',
    (markup) => {
      expect(plainText(markup)).not.toMatch(/\[\^?\d/)
    },
  )
})
