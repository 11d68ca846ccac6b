import { html, type Html } from './html.ts'

/** The bank's form: confirm or refuse the payment. */
export function authenticationForm(action: string): Html {
  return html`<section aria-label="Authentication">
    <h2>Your bank asks you to confirm this payment</h2>
    <div class="row">
      <form method="post" action="${action}">
        <input type="hidden" name="succeeds" value="yes" /><button class="main">Confirm payment</button>
      </form>
      <form method="post" action="${action}">
        <input type="hidden" name="succeeds" value="no" /><button>Refuse payment</button>
      </form>
    </div>
  </section>`
}
