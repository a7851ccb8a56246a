/** Where users who lack the second factor that the server requires set one up, before they go on. */
export const factorPage = "/user/second-factor"
