import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Asked, findWords } from './asked-words.ts'
import { KeptWords } from './kept-words.ts'

const stem = fc.constantFrom('apple', 'bridge', 'candle', 'desert', 'engine')
const asking = (...stems: string[]): Asked => new Map(stems.map((one) => [one, 1]))

describe('words that are kept', () => {
  it('say of a text what its own stems say, or that it is not kept, however little room there is', () => {
    const text = fc.record({ name: fc.nat({ max: 3 }), stems: fc.array(stem) })
    const limits = fc.record({ numbers: fc.nat(400), characters: fc.nat(400) })
    fc.assert(
      fc.property(limits, fc.array(text), fc.array(stem), (limit, texts, query) => {
        const asked = asking(...query)
        const kept = new KeptWords(limit)
        const latest = new Map<number, string[]>()
        for (const { name, stems } of texts) {
          expect(kept.keep(name, stems, asked)).toEqual(findWords(asked, stems))
          latest.set(name, stems)
          const names = [...latest.keys()]
          for (const [at, found] of kept.find(asked, names).entries())
            if (found !== null) expect(found).toEqual(findWords(asked, latest.get(names[at] ?? -1) ?? []))
        }
      }),
    )
  })

  it('gives up what was not asked for the longest, and nothing while there is room', () => {
    const asked = asking('apple')
    const kept = new KeptWords({ numbers: 2 * 65, characters: 1_000 })
    kept.keep(1, ['apple'], asked)
    kept.keep(2, ['bridge'], asked)
    kept.find(asked, [1])
    kept.keep(3, ['candle'], asked)
    expect(kept.find(asked, [1, 2, 3]).map((found) => found !== null)).toEqual([true, false, true])
  })

  it('begins anew where the stems themselves take too much', () => {
    const asked = asking('apple')
    const kept = new KeptWords({ numbers: 10_000, characters: 300 })
    for (let n = 0; n < 6; n++) kept.keep(n, [`apple${n}`], asked)
    const isKept = kept.find(asked, [0, 5]).map((found) => found !== null)
    expect(isKept).toEqual([false, true])
  })
})
