// The build fills this in from package.json.
declare const PACKAGE_VERSION: string
export const version = typeof PACKAGE_VERSION === "string" ? PACKAGE_VERSION : "0.0.0"
