/** What of WebAssembly is used here: TypeScript has it among the browser's types alone, which are not the service's. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: 'WebAssembly.Module'
  }
  const Module: new (bytes: Uint8Array) => Module
  class Memory {
    constructor(limits: { initial: number; maximum: number; shared: true })
    readonly buffer: SharedArrayBuffer
    /** By so many pages of 64 KiB. @returns how many there were */
    grow(pages: number): number
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>)
    readonly exports: Record<string, unknown>
  }
}
