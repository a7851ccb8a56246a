/**
 * The library, loaded at the first use of a passkey. With the parsers of certificates that it brings, it takes 25 MB and a
 * third of a second: too much for every start, and for every command.
 */
export async function webAuthn() {
  const [server, helpers] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ])
  return { ...server, ...helpers }
}

/** EdDSA, ES256 and RS256, as COSE numbers them. The same on every node, whatever its runtime supports. */
export const algorithms = [-8, -7, -257]
