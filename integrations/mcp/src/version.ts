/** Filled in by the build. */
declare const PACKAGE_VERSION: string

export const version = PACKAGE_VERSION
