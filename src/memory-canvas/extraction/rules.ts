/**
 * What entities are told by, as each item's reading is marked with it: counted up with every change of the rules and word lists
 * that changes what items name, so that those read before are read again.
 */
export const RULES = 'rules 3'
