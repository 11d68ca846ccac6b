/** Of a question or query, without surrounding white space. */
export const QUERY_CHARACTERS_MAX = 8_192
export const ANSWER_CHARACTERS_MAX = 65_536
/** pgvector's limit for indexes (https://github.com/pgvector/pgvector#half-precision-indexing); no model has more. */
export const DIMENSIONS_MAX = 4_000
