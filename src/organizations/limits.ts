export const MEMBERS_MAX = 1_000
/** Few enough to list at once. */
export const OPEN_INVITATIONS_MAX = 100
