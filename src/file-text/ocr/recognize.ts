import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import loadCore from 'tesseract.js-core/tesseract-core-simd-lstm.js'
import { guessLanguage, type OcrLanguage, type OcrLanguages } from './languages.ts'
import { layOut, type Word } from './lay-out.ts'

/** An image as a PNG, JPEG or PGM file, within the limits of size. */
export interface Picture {
  bytes: Uint8Array
  /** As EXIF numbers orientations; 1: upright. */
  orientation: number
}

export interface Recognized {
  text: string
  language: OcrLanguage
}

type Core = Awaited<ReturnType<typeof loadCore>>
type Api = InstanceType<Core['TessBaseAPI']>

// The packages also have files of Tesseract's old engine, which are larger and no better.
const TRAINED_DATA: Record<OcrLanguage, string> = {
  eng: import.meta.resolve('@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz'),
  deu: import.meta.resolve('@tesseract.js-data/deu/4.0.0_best_int/deu.traineddata.gz'),
  fra: import.meta.resolve('@tesseract.js-data/fra/4.0.0_best_int/fra.traineddata.gz'),
  spa: import.meta.resolve('@tesseract.js-data/spa/4.0.0_best_int/spa.traineddata.gz'),
}
/** Tesseract's neural engine. */
const LSTM = 1
/** Detects columns and paragraphs automatically. */
const AUTOMATIC_LAYOUT = '3'
/** Photos and drawings give words of low confidence. */
const CONFIDENCE_MIN = 50
const WORD_LEVEL = '5'

let loading: Promise<Core> | null = null
const readers = new Map<OcrLanguage, Api>()

/** The text of an image, `''` without any. Recognizes again if the words belong to another of `languages`. */
export async function recognize(picture: Picture, languages: OcrLanguages): Promise<Recognized> {
  loading ??= loadCore({})
  const core = await loading
  core.FS.writeFile('/input', picture.bytes)
  try {
    const [first] = languages
    const words = await wordsIn(core, first, picture)
    const language = guessLanguage(words.map(({ text }) => text).join(' '), languages)
    const found = language === first ? words : await wordsIn(core, language, picture)
    return { text: layOut(found), language }
  } finally {
    core.FS.unlink('/input')
  }
}

async function wordsIn(core: Core, language: OcrLanguage, { orientation }: Picture): Promise<Word[]> {
  const api = readers.get(language) ?? (await createReader(core, language))
  readers.set(language, api)
  try {
    if (api.SetImageFile(orientation, 0) === 1) throw new Error('the image is damaged')
    api.Recognize(null)
    return parseWords(api.GetTSVText(0))
  } finally {
    api.Clear()
  }
}

async function createReader(core: Core, language: OcrLanguage): Promise<Api> {
  const data = await promisify(gunzip)(await readFile(new URL(TRAINED_DATA[language])))
  const file = `/${language}.traineddata`
  core.FS.writeFile(file, data)
  const api = new core.TessBaseAPI()
  if (api.Init(null, language, LSTM) !== 0) throw new Error(`the OCR data of ${language} is damaged`)
  api.SetVariable('tessedit_pageseg_mode', AUTOMATIC_LAYOUT)
  core.FS.unlink(file)
  return api
}

/** The words of Tesseract's table; none if it is unsure of most of them. */
function parseWords(table: string): Word[] {
  const words = table.split('\n').flatMap((row) => {
    const [level, , block, paragraph, line, , left, top, width, height, confidence, ...text] = row.split('\t')
    if (level !== WORD_LEVEL || text.join(' ').trim() === '') return []
    return {
      block: Number(block),
      paragraph: Number(paragraph),
      line: Number(line),
      left: Number(left),
      top: Number(top),
      right: Number(left) + Number(width),
      bottom: Number(top) + Number(height),
      confidence: Number(confidence),
      text: text.join(' ').trim(),
    }
  })
  const characters = words.reduce((sum, { text }) => sum + text.length, 0)
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0)
  return sure < CONFIDENCE_MIN * characters ? [] : words
}
