/** The used parts of WebAssembly, which TypeScript declares only in the DOM library. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: 'WebAssembly.Module'
  }
  const Module: new (bytes: Uint8Array) => Module
  class Memory {
    constructor(limits: { initial: number; maximum: number; shared: true })
    readonly buffer: SharedArrayBuffer
    /** Grows by pages of 64 KiB. @returns the previous number of pages */
    grow(pages: number): number
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>)
    readonly exports: Record<string, unknown>
  }
}
