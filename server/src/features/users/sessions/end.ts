// How other changes of an account end its sessions, in their own transaction.
export { endAllSessions, endOtherSessions, endSession } from "./store.ts"
