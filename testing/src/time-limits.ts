// Every limit on how long a test may take or wait is derived from the factor here. A limit is no measurement: it ends what
// would never end. Speed is measured by the benchmarks.

/**
 * How many times longer than on two quiet cores a test may take. The default leaves room for a machine that has three times
 * as much to do. Lower it to find tests that are too long for `npm test`.
 */
const slowness = Number(process.env["ENVKEEP_TEST_SLOWNESS"] ?? 3)
if (!(slowness > 0)) throw new Error("ENVKEEP_TEST_SLOWNESS must be a number above 0")

const second = 1_000 * slowness

export const testTimeoutMs = 30 * second
export const journeyTimeoutMs = 60 * second
/** For `npm run test:long`. */
export const longTestTimeoutMs = 300 * second
/** For one wait. Shorter than a test, so that the failure says what did not happen. */
export const waitTimeoutMs = 20 * second
