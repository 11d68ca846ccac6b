/** Of a question or query, without surrounding white space. */
export const QUERY_CHARACTERS_MAX = 8_192
/** Of a search or context; for an answer, the passages to read. */
export const HITS_MAX = 25
export const HITS_DEFAULT = 8
/** The longest half-life of a search's recency: a century. */
export const RECENCY_DAYS_MAX = 36_500
export const ANSWER_CHARACTERS_MAX = 65_536
/** pgvector's limit for indexes (https://github.com/pgvector/pgvector#half-precision-indexing); no model has more. */
export const DIMENSIONS_MAX = 4_000
