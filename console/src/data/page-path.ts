/** Where the pages of the navigation are. */
export type PagePath =
  | '/'
  | '/ask'
  | '/sources'
  | '/memory'
  | '/developers'
  | '/audit'
  | '/billing'
  | '/members'
  | '/settings'
