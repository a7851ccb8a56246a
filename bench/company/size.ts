/** How many of each thing a store holds. */
export type Size = {
  users: number
  teams: number
  collections: number
  environments: number
  items: number
  /** Current values are among them. */
  versions: number
  events: number
}

const company: Size = {
  users: 2_000,
  teams: 200,
  collections: 5_000,
  environments: 20_000,
  items: 10_000_000,
  versions: 50_000_000,
  events: 1_000_000,
}

/** Those whose calls are measured: the same in every store, however large the company around them. */
export const department: Size = {
  users: 20,
  teams: 5,
  collections: 20,
  environments: 80,
  items: 8_000,
  versions: 40_000,
  events: 2_000,
}

/** What the tables and indexes of one version take on disk, on either engine, and of one item. Measured, rounded up. */
const [versionBytes, itemBytes] = [350, 300]
/** The store, its backup, and the store that is restored from it; what the engine logs at the same time. */
const timesOnDisk = 3

/**
 * A company of this scale, with as many versions of each item as the disk has room for: at most five, and at least the
 * current one.
 */
export function companySize(scale: number, freeBytes: number): Size {
  const size = scaled(company, scale)
  const room = freeBytes / timesOnDisk - size.items * itemBytes
  const perItem = Math.min(size.versions / size.items, Math.max(1, Math.floor(room / (size.items * versionBytes))))
  return { ...size, versions: size.items * perItem }
}

/** The same company, a hundred times smaller. */
export function smallSize(size: Size): Size {
  return { ...scaled(size, 0.01), versions: (scaled(size, 0.01).items * size.versions) / size.items }
}

function scaled(size: Size, scale: number): Size {
  return Object.fromEntries(
    Object.entries(size).map(([name, count]) => [name, Math.max(1, Math.round(count * scale))]),
  ) as Size
}
