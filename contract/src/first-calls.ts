/**
 * The calls that the screens make before anyone has typed anything, without their schemas: the library that makes those
 * is a large part of what a browser loads, and these calls have no input to check. The features declare them in full.
 */
export const firstCalls = {
  me: { access: "anyone", token: "names", method: "GET", path: "/users/me", done: "OK" },
  logout: {
    access: "user",
    token: "never",
    beforeFactor: true,
    method: "POST",
    path: "/users/logout",
    done: "Logged out successfully",
  },
  collections: { access: "user", level: "viewer", method: "GET", path: "/collection", done: "OK" },
  transferRequests: { access: "user", token: "names", method: "GET", path: "/users/me/transfer-requests", done: "OK" },
  trashedCollections: { access: "user", level: "owner", method: "GET", path: "/trash", done: "OK" },
} as const

// Apart from the other sentences, which few screens need.
export const ourFault = "Something went wrong on our side"
export const secondFactorRequired = "This server requires a second factor. Please set one up first"
