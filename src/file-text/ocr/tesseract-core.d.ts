/** The part of Tesseract's WebAssembly build that is used; the package has no types. */
declare module 'tesseract.js-core/tesseract-core-simd-lstm.js' {
  interface TesseractApi {
    /** Loads `/LANGUAGE.traineddata`. @returns -1 when it cannot be read */
    Init(folder: null, language: string, engine: number): number
    SetVariable(name: string, value: string): boolean
    /** Reads the file `/input`. @returns 1 when its format is unknown */
    SetImageFile(exifOrientation: number, angle: number): number
    Recognize(monitor: null): number
    GetTSVText(page: number): string
    Clear(): void
  }
  interface TesseractCore {
    FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void }
    TessBaseAPI: new () => TesseractApi
  }
  export default function load(options: object): Promise<TesseractCore>
}
