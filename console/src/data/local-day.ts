/** The day of a time in the browser's time zone, as in URLs: `2026-03-01`. */
export function localDay(time: Date): string {
  const [month, day] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${time.getFullYear()}-${month}-${day}`
}
