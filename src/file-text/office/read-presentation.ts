import { openOfficePackage, prefixedAttribute, type OfficePackage } from './office-package.ts'
import type { FileText } from '../file-text.ts'
import { createShapeReader, type Shape } from './shape-reader.ts'

// Shapes that repeat on every slide or only stand for a picture.
const FURNITURE = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])
const TITLES = new Set(['title', 'ctrTitle'])

/** The text of a PowerPoint presentation: slides with tables, diagrams and speaker notes. @throws if unreadable */
export async function readPresentation(bytes: Uint8Array, maxTextBytes: number): Promise<FileText> {
  const office = await openOfficePackage(bytes)
  const main = await office.mainPart()
  const relationships = await office.relationshipsOf(main)
  const slides: string[] = []
  let length = 0
  for (const [index, id] of (await readSlideIds(office, main)).entries()) {
    if (length > maxTextBytes) return { text: slides.join('\n\n'), stopped: true }
    const part = relationships.find((one) => one.id === id && one.kind === 'slide')?.target
    if (part === undefined) continue
    const { text, stopped } = await readSlide(office, part, index + 1, maxTextBytes - length)
    if (text !== '') slides.push(text)
    length += text.length
    if (stopped) return { text: slides.join('\n\n'), stopped }
  }
  return { text: slides.join('\n\n'), stopped: false }
}

async function readSlideIds(office: OfficePackage, part: string): Promise<(string | null)[]> {
  const ids: (string | null)[] = []
  let isPresentation = false
  await office.read(part, {
    open(name, attributes) {
      if (name === 'presentation') isPresentation = true
      if (name === 'sldId') ids.push(prefixedAttribute(attributes, 'id'))
    },
  })
  if (!isPresentation) throw new Error('it is not a PowerPoint presentation')
  return ids
}

async function readSlide(
  office: OfficePackage,
  part: string,
  number: number,
  maxCharacters: number,
): Promise<FileText> {
  let left = maxCharacters
  let stopped = false
  const shapesOf = async (name: string): Promise<Shape[]> => {
    const reader = createShapeReader(left)
    await office.read(name, reader)
    const shapes = reader.shapes()
    left -= reader.size()
    stopped ||= left < 0
    return shapes
  }
  const shapes = await shapesOf(part)
  const related = await office.relationshipsOf(part)
  for (const { kind, target } of related) {
    if (kind === 'diagramData' && !stopped) shapes.push(...(await shapesOf(target)))
  }
  const notesPart = related.find(({ kind }) => kind === 'notesSlide')?.target
  const notes = notesPart === undefined || stopped ? [] : await shapesOf(notesPart)
  return { text: slideText(number, shapes, notes), stopped }
}

function slideText(number: number, shapes: readonly Shape[], notes: readonly Shape[]): string {
  const title = linesOf(shapes.filter(isTitle)).join(' ').replaceAll(/\s+/g, ' ').trim()
  const body = linesOf(
    shapes.filter((shape) => !isTitle(shape) && !FURNITURE.has(shape.placeholder ?? '')),
  ).join('\n')
  const said = linesOf(notes.filter(({ placeholder }) => placeholder === 'body')).join('\n')
  if (title === '' && body === '' && said === '') return ''
  const heading = `# Slide ${number}${title === '' ? '' : `: ${title}`}`
  return [heading, body, said === '' ? '' : `Notes: ${said}`].filter((text) => text !== '').join('\n\n')
}

const isTitle = ({ placeholder }: Shape) => TITLES.has(placeholder ?? '')
const linesOf = (shapes: readonly Shape[]) => shapes.flatMap(({ lines }) => lines)
