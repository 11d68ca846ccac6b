export function roleName(role: string): string {
  return role.slice(0, 1).toUpperCase() + role.slice(1)
}

/** "an owner", "an admin", "a member". */
export function roleWithArticle(role: string): string {
  return `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`
}
