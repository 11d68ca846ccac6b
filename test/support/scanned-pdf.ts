import { pdfOfObjects } from './sample-files.ts'

/** An image as PDF stores it (ISO 32000-1, 8.9.5). */
export interface PdfImage {
  width: number
  height: number
  /** Entries of its dictionary, such as `/Filter /DCTDecode`. */
  entries: string
  data: Uint8Array
}

export interface PdfPage {
  images?: readonly PdfImage[]
  /** Instructions; image number n is `/In`. */
  content: string
  /** Entries of the page, such as `/Rotate 90`. */
  entries?: string
}

/** A page that shows one image at 144 dots per inch. */
export function imagePage(image: PdfImage): PdfPage {
  return { images: [image], content: `q ${image.width / 2} 0 0 ${image.height / 2} 20 700 cm /I0 Do Q` }
}

export function pdfOfPages(pages: readonly PdfPage[]): Buffer {
  const objects: (string | Buffer)[] = ['<< /Type /Catalog /Pages 2 0 R >>', '']
  const kids = pages.map(({ images = [], content, entries = '' }) => {
    const names = images.map(({ width, height, entries: more, data }, index) => {
      const dictionary = `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${more} /Length ${data.length} >>`
      const number = objects.push(streamOf(dictionary, data))
      return `/I${index} ${number} 0 R`
    })
    const stream = objects.push(streamOf(`<< /Length ${content.length} >>`, Buffer.from(content)))
    const font = '/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>'
    const resources = `/Resources << /XObject << ${names.join(' ')} >> ${font} >>`
    const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${entries} /Contents ${stream} 0 R ${resources} >>`
    return `${objects.push(page)} 0 R`
  })
  objects[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`
  return pdfOfObjects([...objects, '<< >>'])
}

const streamOf = (dictionary: string, data: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${dictionary}\nstream\n`), data, Buffer.from('\nendstream')])
