/** Why work ends whose response nobody receives. No fault of the service. */
export class CallerLeft extends Error {
  constructor() {
    super('the caller closed the connection')
  }
}
