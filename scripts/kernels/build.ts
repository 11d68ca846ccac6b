import { writeFile } from 'node:fs/promises'
import wabt from 'wabt'
import { scanKernelText } from './scan.ts'

/*
 * Writes the kernels: node scripts/kernels/build.ts. It compiles them from unrolled WebAssembly text; tests compare
 * the checked-in files with the result.
 */

/** Each kernel's text by its file. */
const KERNELS = {
  'src/vector-scan/scan.wasm': scanKernelText(),
}

/** Assembles a kernel. @throws the assembler's errors */
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
