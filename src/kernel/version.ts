/** The service's version, as the OpenAPI document and backups say it. */
export const VERSION = '0.1.0'
