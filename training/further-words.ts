import { isForeignStop } from '../src/inference/embedding-models/builtin/foreign-stop-words.ts'
import { tokenize } from '../src/inference/embedding-models/builtin/tokenize.ts'
import { readWordnet } from './wordnet.ts'

/** Words of ordinary English by their stems. */
export interface WordLists {
  /** The most frequent words first, names and words of other languages among them. */
  frequent: readonly string[]
  /** Common words of a dictionary. */
  common: ReadonlySet<string>
  /** Words of work that both lack. */
  work: readonly string[]
}

/** Ranks up to which words are learned, and ranks up to which those of the dictionary are. */
const RANK_MAX = 30_000
const COMMON_RANK_MAX = 200_000
/** The rank up to which the artifact keeps words of the dictionary: rarer ones change no measured ranking. */
const KEPT_RANK_MAX = 60_000
const PLAIN = /^[a-z]{3,}$/

/** The stems of WordNet's words in small letters. `folder` is the unpacked package. */
export function commonStems(folder: string): Set<string> {
  const words = [...readWordnet(folder).values()].flatMap((synset) => synset.words)
  return new Set(words.filter((word) => PLAIN.test(word)).flatMap(tokenize))
}

/** Words to learn whose stem is not in `known`: names too, which {@link stemsToKeep} leaves out. */
export function wordsToLearn(lists: WordLists, known: ReadonlySet<string>): string[] {
  const ranked = lists.frequent.filter((word, rank) => {
    const stem = onlyStem(word)
    return stem !== null && (rank < RANK_MAX || (rank < COMMON_RANK_MAX && lists.common.has(stem)))
  })
  return [...new Set([...ranked, ...lists.work])].filter((word) => {
    const stem = onlyStem(word)
    return stem !== null && !known.has(stem)
  })
}

/** The stems that the artifact keeps: no names, and no function words of other languages. */
export function stemsToKeep(lists: WordLists): Set<string> {
  const ranked = lists.frequent.slice(0, KEPT_RANK_MAX).map(onlyStem)
  const common = ranked.filter((stem) => stem !== null && lists.common.has(stem))
  const kept = [...common, ...lists.work.map(onlyStem)]
  return new Set(kept.flatMap((stem) => (stem === null || isForeignStop(stem) ? [] : stem)))
}

/** The stem of a word of plain letters; null: it is none. */
function onlyStem(word: string): string | null {
  const [stem, ...more] = tokenize(word)
  return stem !== undefined && more.length === 0 && PLAIN.test(stem) ? stem : null
}
