/** The service's version, in the OpenAPI document and in backups. */
export const VERSION = '0.1.0'
