/**
 * The formats whose text is taken out; Word, Excel and PowerPoint since 2007. `text` is whatever is readable as it stands:
 * plain, Markdown, CSV.
 */
export type TextFormat = 'pdf' | 'word' | 'excel' | 'powerpoint' | 'html' | 'text'

const OFFICE = 'application/vnd.openxmlformats-officedocument'

// In lower case, though some have capitals: media types are the same in both.
const BY_MIME_TYPE: Record<string, TextFormat> = {
  'application/pdf': 'pdf',
  [`${OFFICE}.wordprocessingml.document`]: 'word',
  [`${OFFICE}.wordprocessingml.template`]: 'word',
  'application/vnd.ms-word.document.macroenabled.12': 'word',
  'application/vnd.ms-word.template.macroenabled.12': 'word',
  [`${OFFICE}.spreadsheetml.sheet`]: 'excel',
  [`${OFFICE}.spreadsheetml.template`]: 'excel',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'excel',
  'application/vnd.ms-excel.template.macroenabled.12': 'excel',
  [`${OFFICE}.presentationml.presentation`]: 'powerpoint',
  [`${OFFICE}.presentationml.slideshow`]: 'powerpoint',
  [`${OFFICE}.presentationml.template`]: 'powerpoint',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': 'powerpoint',
  'application/vnd.ms-powerpoint.slideshow.macroenabled.12': 'powerpoint',
  'application/vnd.ms-powerpoint.template.macroenabled.12': 'powerpoint',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/json': 'text',
}

// Providers call files they do not know application/octet-stream; the name then says what it is.
const BY_EXTENSION: Record<string, TextFormat> = {
  pdf: 'pdf',
  docx: 'word',
  docm: 'word',
  dotx: 'word',
  dotm: 'word',
  xlsx: 'excel',
  xlsm: 'excel',
  xltx: 'excel',
  xltm: 'excel',
  pptx: 'powerpoint',
  pptm: 'powerpoint',
  ppsx: 'powerpoint',
  ppsm: 'powerpoint',
  potx: 'powerpoint',
  potm: 'powerpoint',
  html: 'html',
  htm: 'html',
  md: 'text',
  markdown: 'text',
  txt: 'text',
  csv: 'text',
}

// text/* types that are no prose: images in disguise, code of pages, calendars and cards.
const NOT_PROSE = new Set([
  'text/calendar',
  'text/css',
  'text/javascript',
  'text/vcard',
  'text/x-vcard',
  'text/directory',
])

/** How to take the text out of a file, from its media type and name; null when it is a kind that is not read. */
export function textFormatOf(mimeType: string, fileName: string): TextFormat | null {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? ''
  const known = BY_MIME_TYPE[type]
  if (known) return known
  if (NOT_PROSE.has(type)) return null
  if (type.startsWith('text/')) return 'text'
  if (type !== 'application/octet-stream' && type !== '') return null
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''
  return BY_EXTENSION[extension] ?? null
}
