/** Formats with text extraction. `csv`: any delimiter; `image`: PNG or JPEG; `text`: any other readable text. */
export type TextFormat =
  | 'pdf'
  | 'image'
  | 'word'
  | 'excel'
  | 'powerpoint'
  | 'odt'
  | 'html'
  | 'markdown'
  | 'rst'
  | 'csv'
  | 'mail'
  | 'text'

/** The formats in words, without images. */
export const FORMATS_IN_WORDS =
  'Text, Markdown, HTML, PDF, Word, Excel, PowerPoint, OpenDocument text, CSV and mail'

const OFFICE = 'application/vnd.openxmlformats-officedocument'

// In lower case: media types are case-insensitive.
const BY_MIME_TYPE: Record<string, TextFormat> = {
  'application/pdf': 'pdf',
  // Mail programs and scanners.
  'application/x-pdf': 'pdf',
  'document/pdf': 'pdf',
  'image/png': 'image',
  'image/jpeg': 'image',
  'image/jpg': 'image',
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
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.text-template': 'odt',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/json': 'text',
  'application/csv': 'csv',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'text/markdown': 'markdown',
  'text/x-rst': 'rst',
  'message/rfc822': 'mail',
}

// Providers use application/octet-stream for unknown files; their format then depends on the name.
export const BY_EXTENSION: Record<string, TextFormat> = {
  pdf: 'pdf',
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
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
  odt: 'odt',
  ott: 'odt',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  rst: 'rst',
  csv: 'csv',
  tsv: 'csv',
  eml: 'mail',
  txt: 'text',
}

// With these types, the format depends on the name. Senders use them for unknown files, and use the types of Office
// files before 2007 for newer files and CSV.
const BY_NAME = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/unknown',
  'application/download',
  'application/x-download',
  'application/force-download',
  'application/x-force-download',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
])

// text/* types that are not prose: page code, calendars, cards, and text amid control words.
const NOT_PROSE = new Set([
  'text/calendar',
  'text/css',
  'text/javascript',
  'text/rtf',
  'text/vcard',
  'text/x-vcard',
  'text/directory',
])

/** The format of a file by its media type and name; null: unsupported. */
export function textFormatOf(mimeType: string, fileName: string): TextFormat | null {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? ''
  // Types come from outside: `constructor` is none.
  if (Object.hasOwn(BY_MIME_TYPE, type)) return BY_MIME_TYPE[type] ?? null
  if (NOT_PROSE.has(type)) return null
  if (type.startsWith('text/')) return textFormatByName(fileName)
  return BY_NAME.has(type) ? formatByName(fileName) : null
}

/** The format that a name implies for text: `notes.md` sent as text/plain is Markdown. */
function textFormatByName(fileName: string): TextFormat {
  const named = formatByName(fileName)
  return named === 'markdown' || named === 'rst' || named === 'csv' ? named : 'text'
}

function formatByName(fileName: string): TextFormat | null {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''
  return BY_EXTENSION[extension] ?? null
}
