import type { AccountSummary } from "@envkeep/contract"
import { exactTime, relativeTime } from "../../lib/relative-time.ts"
import { useUser } from "../../lib/state.ts"

/** What is special about an account. */
export function AccountStatus({ account }: { account: AccountSummary }) {
  const { id, isAdmin, isDisabled, hasSecondFactor } = account
  const isOwn = useUser()?.id === id
  return (
    <span className="account-status">
      {isDisabled && <span className="chip chip--disabled">Disabled</span>}
      {isAdmin && <span className="chip chip--admin">Admin</span>}
      {isOwn && <span className="chip">You</span>}
      {!isDisabled && !isAdmin && !isOwn && <span className="chip chip--quiet">Active</span>}
      {hasSecondFactor && (
        <span className="chip" title="Has a second factor">
          2FA
        </span>
      )}
    </span>
  )
}

export function LastSignIn({ account: { lastSignInAt } }: { account: AccountSummary }) {
  if (lastSignInAt === null) return <span className="accounts__never">Never</span>
  return (
    <time dateTime={lastSignInAt} title={exactTime(lastSignInAt)}>
      {relativeTime(lastSignInAt)}
    </time>
  )
}
