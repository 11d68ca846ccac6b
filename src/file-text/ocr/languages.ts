export const OCR_LANGUAGES = ['eng', 'deu', 'fra', 'spa'] as const
export type OcrLanguage = (typeof OCR_LANGUAGES)[number]
/** The languages that documents may have, the most frequent first. */
export type OcrLanguages = readonly [OcrLanguage, ...OcrLanguage[]]

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

// Frequent in one of the languages only, and without accents, so that every model reads them.
const COMMON_WORDS: Record<OcrLanguage, ReadonlySet<string>> = {
  eng: wordSet('the of and to is that for with this are be by from or not it which have on at'),
  deu: wordSet('der die das und ist den mit von nicht ein eine auf dem werden wird im zu sich bei'),
  fra: wordSet('le les et est une dans pour par sur au aux qui pas sont avec ce cette il nous vous'),
  spa: wordSet('el los las y del una por con para al su como lo sus esta este cada desde sin'),
}
const COMMON_MIN = 3

/** The language of a text by its common words; `languages[0]` if there are too few. */
export function guessLanguage(text: string, languages: OcrLanguages): OcrLanguage {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const countOf = (language: OcrLanguage): number =>
    words.filter((word) => COMMON_WORDS[language].has(word)).length
  const [first] = languages
  const counted = languages.map((language) => ({ language, count: countOf(language) }))
  const best = counted.reduce((one, other) => (other.count > one.count ? other : one))
  return best.count >= COMMON_MIN && best.count > 2 * countOf(first) ? best.language : first
}
