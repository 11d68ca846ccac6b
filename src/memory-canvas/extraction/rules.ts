/**
 * The version of the extraction rules; each item records the one it was read by. Raise it whenever a change
 * of the rules or word lists changes what items name, so that all items are read again.
 */
export const RULES = 'rules 4'
