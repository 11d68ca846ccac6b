import { describe, expect, it } from 'vitest'
import { textFormatOf } from './text-format.ts'

const OFFICE = 'application/vnd.openxmlformats-officedocument'

describe('the format of a file', () => {
  it.each([
    [`${OFFICE}.spreadsheetml.sheet`, 'excel'],
    [`${OFFICE}.presentationml.presentation`, 'powerpoint'],
    [`${OFFICE}.presentationml.slideshow`, 'powerpoint'],
    ['application/vnd.ms-excel.sheet.macroEnabled.12', 'excel'],
    ['application/vnd.ms-powerpoint.presentation.macroEnabled.12', 'powerpoint'],
    ['application/vnd.ms-word.document.macroEnabled.12', 'word'],
    ['text/html; charset=utf-8', 'html'],
    ['text/calendar', null],
    ['text/rtf', null],
    ['constructor', null],
    ['__proto__', null],
    ['application/vnd.oasis.opendocument.text', 'odt'],
    ['text/csv', 'csv'],
    ['text/tab-separated-values', 'csv'],
    ['text/markdown', 'markdown'],
    ['message/rfc822', 'mail'],
    // Formats before 2007, the binary workbook and OpenDocument.
    ['application/vnd.ms-excel', null],
    ['application/vnd.ms-excel.sheet.binary.macroEnabled.12', null],
    ['application/vnd.oasis.opendocument.spreadsheet', null],
  ])('is found by media type: %s', (mimeType, format) => {
    expect(textFormatOf(mimeType, 'file')).toBe(format)
  })

  it.each([
    ['Budget.XLSX', 'excel'],
    ['macros.xlsm', 'excel'],
    ['deck.pptx', 'powerpoint'],
    ['letter.docm', 'word'],
    ['old.xls', null],
    ['old.ppt', null],
    ['old.doc', null],
    ['xlsx', null],
    ['plan.odt', 'odt'],
    ['people.TSV', 'csv'],
    ['mail.eml', 'mail'],
    ['page.mdx', 'markdown'],
  ])('is found by name if the media type says nothing: %s', (name, format) => {
    expect(textFormatOf('application/octet-stream', name)).toBe(format)
    expect(textFormatOf('', name)).toBe(format)
    expect(textFormatOf('application/zip', name)).toBe(null)
  })

  it.each([
    ['application/vnd.ms-excel', 'report.csv', 'csv'],
    ['application/vnd.ms-excel', 'report.xlsx', 'excel'],
    ['application/vnd.ms-excel', 'report.xls', null],
    ['application/msword', 'letter.docx', 'word'],
    ['application/msword', 'letter.doc', null],
    ['application/vnd.ms-powerpoint', 'deck.pptx', 'powerpoint'],
    ['image/jpg', 'scan.jpg', 'image'],
    ['application/x-download', 'report.PDF', 'pdf'],
    ['application/force-download', 'letter.docx', 'word'],
    ['binary/octet-stream', 'notes.md', 'markdown'],
    ['binary/octet-stream', 'archive', null],
    ['application/x-pdf', 'invoice', 'pdf'],
    ['document/pdf', 'scan', 'pdf'],
  ])(
    'is found by name if programs give it a type that is old, vague or their own: %s, %s',
    (mimeType, name, format) => {
      expect(textFormatOf(mimeType, name)).toBe(format)
    },
  )

  it.each([
    ['notes.md', 'markdown'],
    ['list.csv', 'csv'],
    ['main.py', 'text'],
    ['page.html', 'text'],
  ])('is found by name if the media type says only text: %s', (name, format) => {
    expect(textFormatOf('text/plain', name)).toBe(format)
  })
})
