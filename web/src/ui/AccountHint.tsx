/** Tells password managers which account the password of a form belongs to. They skip fields of the type "hidden". */
export function AccountHint({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly tabIndex={-1} style={{ display: "none" }} />
}
