import { writeFile } from 'node:fs/promises'
import wabt from 'wabt'
import { scanKernelText } from './scan.ts'

/*
 * Writes the kernels: node scripts/kernels/build.ts
 * They are made from WebAssembly's text, unrolled; tests compare what is checked in with it.
 */

/** Each kernel's text, by where it is kept. */
const KERNELS = {
  'src/vector-memory/scan.wasm': scanKernelText(),
}

/** A kernel as WebAssembly, of its text. @throws what the assembler finds wrong */
export async function buildKernel(text: string): Promise<Uint8Array> {
  const { parseWat } = await wabt()
  const module = parseWat('kernel.wat', text, { simd: true, threads: true })
  try {
    return module.toBinary({}).buffer
  } finally {
    module.destroy()
  }
}

if (import.meta.main)
  for (const [path, text] of Object.entries(KERNELS))
    await writeFile(new URL(`../../${path}`, import.meta.url), await buildKernel(text))
