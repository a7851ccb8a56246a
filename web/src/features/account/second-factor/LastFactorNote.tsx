import { useIdentities } from "../queries.ts"

/** What it means to remove the last second factor of an account. */
export function LastFactorNote({ isRequired }: { isRequired: boolean }) {
  const hasPassword = useIdentities().data?.hasPassword !== false
  return (
    <>
      {hasPassword ? "Your password alone will open your account" : "Your account will open without a second factor"},
      and your recovery codes stop working.
      {isRequired && " This server requires a second factor, so you will have to set one up again."}
    </>
  )
}
