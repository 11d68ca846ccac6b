/** Prints progress with the seconds since the start. */
export function printProgress(message: string): void {
  process.stdout.write(`${process.uptime().toFixed(0).padStart(4)} s  ${message}\n`)
}
