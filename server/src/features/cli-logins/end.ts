/** For changes of an account, which end what was granted before. */
export { forgetApprovals } from "./store.ts"
