/** Where the pages of the navigation are. */
export type PagePath =
  | '/'
  | '/ask'
  | '/sources'
  | '/memory'
  | '/evaluation'
  | '/developers'
  | '/audit'
  | '/billing'
  | '/members'
  | '/settings'
