/** Who can make an account: anyone, those with an invitation, or no one. */
export const registrationModes = ["open", "invited", "closed"] as const
export type RegistrationMode = (typeof registrationModes)[number]
