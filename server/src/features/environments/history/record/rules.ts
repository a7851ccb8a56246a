// How other parts of an environment add to its history, apart from the rules, which change items themselves.

export { supersededVersionBytes } from "../version-bytes.ts"
export { addInherited, addRemovals, addRevision, addVersions, type Heir } from "./store.ts"
