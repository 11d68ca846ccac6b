export const MEMBERS_MAX = 1_000
/** Few enough to list at once. */
export const OPEN_INVITATIONS_MAX = 100
export const INVITATION_DAYS = 7
/** How long a user without a workspace is kept: their invitation may still come. */
export const WITHOUT_WORKSPACE_DAYS = 30
