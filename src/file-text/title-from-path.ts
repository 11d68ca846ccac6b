/** Whether a file is its folder's front page, whose name says nothing about its subject. */
export function isFrontPage(path: string): boolean {
  return /^(?:readme|index|_index)$/i.test(stemOf(path))
}

/** A title from a path: the file name without extension, number and hyphens; for a front page, the folder's. */
export function titleFromPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const folder = parts.at(-2)
  return readable(isFrontPage(path) && folder !== undefined ? folder : stemOf(path))
}

function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(0, dot) : name
}

function readable(name: string): string {
  const words = name
    .slice(0, 500)
    .replace(/^\d{1,2}[-_. ]+(?=\p{L})/u, '')
    .replaceAll(/(?<=[\p{L}\d])[-_]+(?=[\p{L}\d])/gu, ' ')
    .trim()
  // A date keeps its hyphens.
  return /^\d{4}-\d{2}-\d{2}/.test(name) ? `${name.slice(0, 10)}${words.slice(10)}` : words || name
}
