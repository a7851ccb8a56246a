import type { Level, Scope } from "@envkeep/contract"
import type { Generated } from "kysely"

/** The tables about people: their accounts, how they sign in, and their teams. */
export interface AccountSchema {
  user: {
    id: Generated<number>
    username: string
    email: string
    /** The e-mail in a form that ignores case and how its domain is written. No two accounts share one. */
    email_key: string
    /** Empty if the account has no password: then none matches. */
    password_hash: string
    is_admin: number
    created_at: number
    /** What the account stores: `core/stored-bytes.ts`. */
    stored_bytes: Generated<number>
    /** Null if the account may be used. */
    disabled_at: Generated<number | null>
    /** Null if not since this is recorded. */
    last_sign_in_at: Generated<number | null>
  }
  session: {
    id: Generated<number>
    user_id: number
    token_hash: string
    created_at: number
    seen_at: number
    /** The network and the browser of the login. Empty if it was before this is recorded. */
    address: Generated<string>
    client: Generated<string>
    /** When its user last proved to be there, by logging in or by confirming again. 0 if not since this is recorded. */
    confirmed_at: Generated<number>
    /** Its provider asked for a second factor, so this server need not. */
    has_provider_factor: Generated<number>
  }
  /** An authenticator app: the secret that it shares with the server. */
  totp: {
    id: Generated<number>
    user_id: number
    /** Sealed under the root key. */
    sealed_secret: Uint8Array
    created_at: number
    /** Null until a first code has shown that the app has the secret: then it is no factor yet. */
    confirmed_at: number | null
    /** The time step of the last code that was used. No code of it or of an earlier one works again. */
    last_step: Generated<number>
  }
  /** One that was not used yet. */
  recovery_code: {
    id: Generated<number>
    user_id: number
    code_hash: string
    created_at: number
  }
  /** A login whose password was right, and that waits for its second factor. */
  pending_sign_in: {
    id: Generated<number>
    token_hash: string
    user_id: number
    /** The hash of the password that was checked. If it is another one by now, the login ends. */
    checked_hash: string
    /** The network of the login. */
    address: string
    tries: Generated<number>
    created_at: number
    expires_at: number
  }
  /** The newest link of an account to log in without its lost second factor. Kept for a while, as that of a password. */
  factor_link: {
    user_id: number
    token_hash: string
    expires_at: number
    used_at: number | null
  }
  /** A personal token: stands for its user in calls by programs. */
  token: {
    id: Generated<number>
    user_id: number
    name: string
    token_hash: string
    scope: Scope
    /** Whether it reaches only the collections of `token_collection`. */
    is_limited: number
    created_at: number
    /** Null if it does not expire. */
    expires_at: number | null
    /** Accurate to the minute: a job writes it for all tokens together. */
    last_used_at: Generated<number | null>
    /** The program that used it, as it calls itself, and its network. */
    last_used_by: Generated<string | null>
    last_used_from: Generated<string | null>
  }
  token_collection: {
    id: Generated<number>
    token_id: number
    collection_id: number
  }
  /** A passkey: what proves that its user signs in, without a password. */
  passkey: {
    id: Generated<number>
    user_id: number
    name: string
    /** What the authenticator calls the passkey, and its public key (COSE), both in base64url. */
    credential_id: string
    public_key: string
    /** What the authenticator calls its user: random, the same for all passkeys of an account. */
    user_handle: string
    /** The host that it was made for. It works nowhere else. */
    host: string
    /** How often it was used, if the authenticator counts. */
    counter: number
    /** How browsers reach the authenticator, such as `internal,hybrid`. */
    transports: string
    /** Whether it can be on several devices, and whether it is. */
    is_multi_device: number
    is_backed_up: number
    /** The model of the authenticator, as it says itself. */
    aaguid: string
    created_at: number
    last_used_at: number | null
  }
  /** What a passkey is asked to sign. Works once. */
  passkey_challenge: {
    id: Generated<number>
    challenge_hash: string
    purpose: "register" | "sign-in" | "second-step" | "confirm"
    /** Null before it is known who signs in. */
    user_id: number | null
    /** Of the passkey that is being made. */
    user_handle: string | null
    expires_at: number
  }
  /** A login of the command that waits for its user, or for the machine to collect its token. */
  cli_login: {
    id: Generated<number>
    device_hash: string
    user_code_hash: string
    /** What the machine calls itself, and its network. */
    machine: string
    address: string
    state: "pending" | "approved" | "denied"
    /** Who approved it, and what its token may do, for so many days. Null days: it does not expire. */
    user_id: number | null
    scope: Scope | null
    days: number | null
    created_at: number
    expires_at: number
  }
  /** An account at a sign-in provider. Its issuer and subject are what a sign-in is found by, and nothing else. */
  identity: {
    id: Generated<number>
    user_id: number
    issuer: string
    subject: string
    /** As the provider told it when the two were connected; empty if it told none. */
    email: string
    created_at: number
    last_used_at: number | null
  }
  /** A team that the user is in because a claim of the identity named it. */
  identity_team: {
    id: Generated<number>
    identity_id: number
    team_id: number
  }
  /** A browser that was sent to a sign-in provider and is not back yet. */
  provider_visit: {
    id: Generated<number>
    /** Of the token in the browser's cookie. */
    token_hash: string
    /** Its name in the settings. */
    provider: string
    purpose: "sign-in" | "connect" | "confirm"
    /** The session that it is for. Null for a sign-in. */
    session_id: number | null
    /** The page to show afterwards. */
    return_to: string
    created_at: number
    expires_at: number
  }
  /**
   * The newest link of an account to set a new password, made by an administrator. Its row stays for a while after it was used
   * or has expired.
   */
  password_reset: {
    user_id: number
    token_hash: string
    expires_at: number
    used_at: number | null
  }
  /** The newest one that was sent by mail. Anyone can ask for it, so it does not replace an administrator's. */
  mailed_reset: {
    user_id: number
    token_hash: string
    expires_at: number
    used_at: number | null
  }
  team: {
    id: Generated<number>
    name: string
    created_at: number
    /** Anyone who signs in at a provider with this value in the claim becomes a member. Null if no claim fills the team. */
    claim_value: Generated<string | null>
    /** When it was last renamed, as earlier versions have written it. Nothing reads it any more. */
    named_at: Generated<number | null>
  }
  team_member: {
    id: Generated<number>
    team_id: number
    user_id: number
    /** May add and remove members. */
    is_admin: number
    created_at: number
  }
  /** A link for a role in a collection, for a team, or, with neither, for an account. */
  invitation: {
    id: Generated<number>
    secret_hash: string
    collection_id: number | null
    team_id: number | null
    role: Level | null
    invited_by_id: number
    created_at: number
    expires_at: number
    revoked_at: Generated<number | null>
    max_uses: number
    uses: number
  }
  subscription: {
    id: Generated<number>
    user_id: number
    product_id: number
    created_at: number
  }
  /** Counts password guesses and registrations across nodes and restarts. */
  attempt: {
    bucket: string
    count: number
    resets_at: number
    /** Only of known browsers: whose they are, hashed. */
    account: Generated<string | null>
  }
  /** A mail that waits to be sent, or that was given up. One that was sent is gone. */
  mail: {
    id: Generated<number>
    /** Of the mail's own header too: a mail that is sent twice can be recognised. */
    message_id: string
    kind: string
    /** Null if it goes to a person without an account, or it is not known yet whether there is one. */
    user_id: number | null
    /** The address and what the mail is made from; null once it is given up. */
    sealed: Uint8Array | null
    /** How many notices it stands for. */
    notices: Generated<number>
    created_at: number
    /** When it is tried next. The node that has claimed it moves this to the end of its claim. */
    due_at: number
    /** After this it is not worth sending. */
    expires_at: number
    tries: Generated<number>
    claim: Generated<string | null>
    fault: Generated<string | null>
    failed_at: Generated<number | null>
    gave_up_at: Generated<number | null>
  }
}
