/** Markup that is already escaped. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | readonly Html[]

/** Markup from a template; escapes values unless they are markup. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let markup = strings[0] ?? ''
  for (const [index, part] of parts.entries()) markup += markupOf(part) + (strings[index + 1] ?? '')
  return { markup }
}

/** A table whose last `numbers` columns are numbers. */
export function table(columns: readonly string[], numbers: number, rows: readonly Html[]): Html {
  const heads = columns.map(
    (name, index) => html`<th class="${index < columns.length - numbers ? '' : 'end'}">${name}</th>`,
  )
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`
}

function markupOf(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
