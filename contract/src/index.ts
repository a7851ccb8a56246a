import { admin } from "./admin.ts"
import { apiKeys } from "./api-keys.ts"
import { collections } from "./collections.ts"
import { environments } from "./environments.ts"
import { history } from "./history.ts"
import { items } from "./items.ts"
import { users } from "./users.ts"
import { variables } from "./variables.ts"

export * from "./admin.ts"
export * from "./api-keys.ts"
export * from "./call.ts"
export * from "./collections.ts"
export * from "./environments.ts"
export * from "./history.ts"
export * from "./items.ts"
export { limits } from "./limits.ts"
export { openApiDocument } from "./openapi.ts"
export { refusedField, sentences } from "./sentences.ts"
export * from "./users.ts"
export * from "./variables.ts"

/** Every call, by feature. */
export const calls = { users, collections, environments, history, items, apiKeys, admin, variables }
