/**
 * The console's content security policy. Scripts come only from this service, as files. Tokens come from the issuer's
 * origin (null when sign-in is off). Inline styles are allowed because the interface library sets its variables that
 * way.
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
