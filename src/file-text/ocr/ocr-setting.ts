import { z } from 'zod'
import { OCR_LANGUAGES, type OcrLanguages } from './languages.ts'

const OFF = 'off'

/** The languages of scans, separated by commas, or `off`, which is null. */
export const ocrSetting = z
  .string()
  .default(OCR_LANGUAGES.join(','))
  .transform((value, context): OcrLanguages | null => {
    if (value.trim() === OFF) return null
    const names = z.array(z.enum(OCR_LANGUAGES)).safeParse(value.split(',').map((name) => name.trim()))
    const [first, ...others] = new Set(names.data)
    if (first !== undefined) return [first, ...others]
    context.addIssue({ code: 'custom', message: `must be ${OFF} or a list of ${OCR_LANGUAGES.join(', ')}` })
    return z.NEVER
  })
