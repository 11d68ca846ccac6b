/** Lines of a kernel's text, one for each number below `count`. */
export function times(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n')
}
