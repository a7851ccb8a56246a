// How other parts of an environment add to its history, apart from the rules, which change items themselves.
export {
  addRevision,
  addVersions,
  makersOf,
  type NewVersion,
  namesSince,
  renamedSince,
} from "./store.ts"
