/**
 * The console's content security policy. Scripts come from this service alone, as files; tokens are fetched from the
 * issuer's origin, null where nobody signs people in. Styles may be inline: the interface library sets its variables so.
 */
export function consolePolicy(issuerOrigin: string | null): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self'",
    "font-src 'self'",
    issuerOrigin === null ? "connect-src 'self'" : `connect-src 'self' ${issuerOrigin}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
