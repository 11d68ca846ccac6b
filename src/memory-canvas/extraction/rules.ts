/** The version of the extraction rules. Raise it when a change changes what items name: all are read again. */
export const RULES = 'rules 4'
