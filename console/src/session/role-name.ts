export function roleName(role: 'owner' | 'admin' | 'member'): string {
  switch (role) {
    case 'owner':
      return 'Owner'
    case 'admin':
      return 'Admin'
    case 'member':
      return 'Member'
  }
}

/** "an owner", "an admin", "a member". */
export function roleWithArticle(role: 'owner' | 'admin' | 'member'): string {
  return `${role === 'member' ? 'a' : 'an'} ${roleName(role).toLowerCase()}`
}
