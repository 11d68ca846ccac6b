import type { Tokenizer } from 'htmlparser2'

const ignore = (): void => {}

/** Callbacks of an HTML tokenizer for what readers of tags do not need: text, comments and other markup. */
export const IGNORED_MARKUP = {
  onattribend: ignore,
  oncdata: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onprocessinginstruction: ignore,
  ontext: ignore,
  ontextentity: ignore,
} satisfies Partial<ConstructorParameters<typeof Tokenizer>[1]>
