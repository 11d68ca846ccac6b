import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface ResolvedAddress {
  address: string
  family: number
}

/** All the addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

/** The addresses that the machine has for a name. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true })

/** IPv6 addresses are given out of this block alone (https://www.iana.org/assignments/ipv6-address-space). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** A service inside of Azure's machines, at an address that looks public. */
const AZURE_HOST = '168.63.129.16'

/** An address, or a name that stands for one, at which nothing is sent to. */
export class AddressNotAllowed extends Error {
  constructor() {
    super('the address is not a public one')
    this.name = 'AddressNotAllowed'
  }
}

/** Whether an IP address is one of the internet's: not of this machine, a private network, a group or a special purpose. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  // Of an IPv4 address in IPv6's clothes it is the IPv4 address that counts.
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === AZURE_HOST) return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6)
}

/** The address that a URL's host names by itself; null: it is a name. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) === 0 ? null : bare
}

/**
 * What a connection asks for addresses: it gets those that were looked at, so that a name cannot mean another one by the time
 * it is connected to. One address that is not allowed spoils them all.
 */
export function guardedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    const answer = (addresses: readonly ResolvedAddress[]): void => {
      const [first] = addresses
      if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), [])
      else if (!addresses.every(({ address }) => isAllowed(address))) callback(new AddressNotAllowed(), [])
      else if (options.all) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }
    const fail = (error: Error): void => callback(error, [])
    void resolve(hostname).then(answer, fail)
  }
}
