/** A model that writes text. Implementations live in `language-models/`. */
export interface LanguageModel {
  /** Provider and model name, for logs and metrics. */
  readonly id: string
  /** The text as it is written, piece by piece. Throws when the provider fails, or when `signal` aborts. */
  stream(prompt: LanguageModelPrompt, signal: AbortSignal): AsyncIterable<string>
}

export interface LanguageModelPrompt {
  instructions: string
  /** The user's turn. */
  prompt: string
  maxOutputTokens: number
}
