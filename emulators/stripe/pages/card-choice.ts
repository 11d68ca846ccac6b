import { TEST_CARDS } from '../customers.ts'
import { html, type Html } from './html.ts'

export function cardChoice(legend: string): Html {
  const choices = Object.entries(TEST_CARDS).map(
    ([number, { says }], index) =>
      html`<label class="choice">
        <input type="radio" name="card" value="${number}" ${{ markup: index === 0 ? 'checked' : '' }} />
        <span
          ><code>${number.replaceAll(/(\d{4})(?=\d)/g, '$1 ')}</code><br /><span class="soft"
            >${says}</span
          ></span
        >
      </label>`,
  )
  return html`<fieldset>
    <legend>${legend}</legend>
    ${choices}
  </fieldset>`
}
