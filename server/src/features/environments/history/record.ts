// How other parts of an environment add to its history, apart from the rules, which change items themselves.
export { addInherited, addRemovals, addRevision, addVersions, type Heir } from "./store.ts"
export { supersededVersionBytes } from "./version-bytes.ts"
