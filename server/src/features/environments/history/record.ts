// How other parts of an environment add to its history, apart from the rules, which change items themselves.
export {
  addRemovals,
  addRevision,
  addVersions,
  makersOf,
  namesSince,
  renamedSince,
} from "./store.ts"
