/** What takes a place: it is of a key, and the key is of an owner. */
export interface Placed {
  id: string
  keyHash: string
}

export interface PlaceBounds {
  total: number
  perOwner: number
}

/** A bounded number of places, shared by owners. There is always room for one more: another gives way to it. */
export interface Places<One extends Placed> {
  get(id: string): One | undefined
  has(one: One): boolean
  all(): Iterable<One>
  /** If all places are taken, the owner with the most of them loses one; an owner with too many loses one of its own. */
  add(one: One): void
  /** Of an owner's places, one that was not seen for the longest time gives way. */
  saw(one: One): void
  /** It keeps its place only until its owner loses one. */
  spare(one: One): void
  remove(one: One): void
  /** Until the owner of a key is known, the key counts as an owner. */
  setOwner(keyHash: string, ownerId: number): void
}

/** What one owner has, each in the order in which it gives way: first those that can be spared. */
interface Share<One> {
  ownerId: number | undefined
  spared: Set<One>
  kept: Set<One>
}

export function createPlaces<One extends Placed>(
  { total, perOwner }: PlaceBounds,
  gaveWay: (one: One) => void,
): Places<One> {
  const byId = new Map<string, One>()
  const keys = new Map<string, { share: Share<One>; places: number }>()
  const shareOfOwner = new Map<number, Share<One>>()
  /** So that the largest need not be looked for among all: with every place taken, each newcomer asks for it. */
  const sharesOfSize = new Map<number, Set<Share<One>>>()
  let largestSize = 0

  return {
    get: (id) => byId.get(id),
    has,
    all: () => byId.values(),
    add(one) {
      const key = keys.get(one.keyHash) ?? { share: newShare<One>(), places: 0 }
      keys.set(one.keyHash, key)
      key.places++
      byId.set(one.id, one)
      resize(key.share, ({ kept }) => kept.add(one))
      if (sizeOf(key.share) > perOwner) loseOne(key.share)
      if (byId.size > total) for (const largest of first(sharesOfSize.get(largestSize))) loseOne(largest)
    },
    saw(one) {
      const share = keys.get(one.keyHash)?.share
      if (share === undefined || !has(one)) return
      share.spared.delete(one)
      share.kept.delete(one)
      share.kept.add(one)
    },
    spare(one) {
      const share = keys.get(one.keyHash)?.share
      if (share?.kept.delete(one)) share.spared.add(one)
    },
    remove,
    setOwner(keyHash, ownerId) {
      const key = keys.get(keyHash)
      if (key === undefined || key.share.ownerId !== undefined) return
      const ownersShare = shareOfOwner.get(ownerId)
      if (ownersShare === undefined) {
        key.share.ownerId = ownerId
        shareOfOwner.set(ownerId, key.share)
        return
      }
      const { spared, kept } = key.share
      resize(key.share, (share) => Object.assign(share, newShare<One>()))
      resize(ownersShare, (share) => {
        for (const one of spared) share.spared.add(one)
        for (const one of kept) share.kept.add(one)
      })
      key.share = ownersShare
      while (sizeOf(ownersShare) > perOwner) loseOne(ownersShare)
    },
  }

  function has(one: One): boolean {
    return byId.get(one.id) === one
  }

  function loseOne({ spared, kept }: Share<One>): void {
    for (const one of first(spared.size > 0 ? spared : kept)) {
      remove(one)
      gaveWay(one)
    }
  }

  function remove(one: One): void {
    const key = keys.get(one.keyHash)
    if (key === undefined || !has(one)) return
    byId.delete(one.id)
    key.places--
    if (key.places === 0) keys.delete(one.keyHash)
    resize(key.share, ({ spared, kept }) => spared.delete(one) || kept.delete(one))
  }

  function resize(share: Share<One>, change: (share: Share<One>) => void): void {
    const before = sharesOfSize.get(sizeOf(share))
    before?.delete(share)
    if (before?.size === 0) sharesOfSize.delete(sizeOf(share))
    change(share)
    const size = sizeOf(share)
    if (size > 0) sharesOfSize.set(size, (sharesOfSize.get(size) ?? new Set()).add(share))
    else if (share.ownerId !== undefined) shareOfOwner.delete(share.ownerId)
    largestSize = Math.max(largestSize, size)
    while (largestSize > 0 && !sharesOfSize.has(largestSize)) largestSize--
  }
}

function newShare<One>(): Share<One> {
  return { ownerId: undefined, spared: new Set(), kept: new Set() }
}

function sizeOf({ spared, kept }: Share<unknown>): number {
  return spared.size + kept.size
}

/** None if there is none. */
function first<Element>(all: Iterable<Element> = []): Element[] {
  for (const one of all) return [one]
  return []
}
