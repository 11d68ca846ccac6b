/** A model that writes text. Implementations live in `language-models/`. */
export interface LanguageModel {
  /** Provider and model name, for logs and metrics. */
  readonly id: string
  /** Streams the text. @throws if the provider fails or `signal` aborts */
  stream(prompt: LanguageModelPrompt, signal: AbortSignal): AsyncIterable<string>
}

export interface LanguageModelPrompt {
  instructions: string
  prompt: string
  maxOutputTokens: number
  /** Called after the text if the model used up these tokens, so that the text ends early. */
  onTokenLimit?: () => void
}
