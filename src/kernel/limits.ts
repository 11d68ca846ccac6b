/** Maximum length of a question or query, after trimming. */
export const QUERY_CHARACTERS_MAX = 8_192
/** Maximum `limit` of search and context, and of the passages that an answer reads. */
export const HITS_MAX = 25
export const HITS_DEFAULT = 8
/** Maximum half-life of `recency`, a century. */
export const RECENCY_DAYS_MAX = 36_500
export const ANSWER_CHARACTERS_MAX = 65_536
/** pgvector's limit for indexes (https://github.com/pgvector/pgvector#half-precision-indexing); no model has more. */
export const DIMENSIONS_MAX = 4_000
