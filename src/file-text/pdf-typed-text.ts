/** Names that a person chose, unlike `form1[0].#subform[0].T7[0]`. */
const READABLE_NAME = /^[\p{L}\d _-]+$/u

/** The text that people typed into a page's form fields and annotations, which the page's own text lacks. */
export function typedText(annotations: readonly unknown[]): string {
  return annotations
    .filter(isObject)
    .map(lineOf)
    .filter((line) => line !== '')
    .join('\n')
}

type Annotation = Record<string, unknown>

function isObject(value: unknown): value is Annotation {
  return typeof value === 'object' && value !== null
}

function lineOf(annotation: Annotation): string {
  if (annotation['hidden'] === true || annotation['password'] === true) return ''
  if (annotation['subtype'] === 'FreeText') return textOf(annotation['contentsObj'])
  if (annotation['subtype'] !== 'Widget' || !/^(?:Tx|Ch)$/.test(String(annotation['fieldType']))) return ''
  const value = [annotation['fieldValue']]
    .flat()
    .filter((one) => typeof one === 'string')
    .join(', ')
    .trim()
  const name = nameOf(annotation)
  return value === '' || name === '' ? value : `${name}: ${value}`
}

function textOf(contents: unknown): string {
  return isObject(contents) && typeof contents['str'] === 'string' ? contents['str'].trim() : ''
}

function nameOf({ alternativeText: shown, fieldName: name }: Annotation): string {
  if (typeof shown === 'string' && shown.trim() !== '') return shown.trim()
  return typeof name === 'string' && READABLE_NAME.test(name) ? name : ''
}
