/** A signed-in user. Rules and stores that touch a user's data require one; there is no other way to name an owner. */
export interface UserCaller {
  userId: number
  sessionId: number
  isAdmin: boolean
}

/** Whoever makes a call that needs no session; signed in or not. */
export interface Visitor {
  /** Where the call comes from, for the limits on guessing. */
  address: string
  /** What the browser was given at an earlier login, here or by somebody else; empty when it shows nothing. */
  device: string
  user: UserCaller | undefined
}
