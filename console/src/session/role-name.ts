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
