/** The paths of the pages in the navigation. */
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
