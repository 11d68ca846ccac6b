/** Says on standard output how far training is, with the seconds since it began. */
export function say(message: string): void {
  process.stdout.write(`${process.uptime().toFixed(0).padStart(4)} s  ${message}\n`)
}
