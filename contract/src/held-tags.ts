/**
 * What a caller of `collections.get` says that it holds: the tags of environments, from earlier answers. In a header,
 * because addresses are logged, and these may be many.
 */
export const heldTagsHeaderName = "envkeep-held-tags"

/** Proxies refuse headers of more than 8 KiB. Environments beyond these come whole. */
export const maxHeldTags = 250

/** A tag has one half for the items of an environment, and one for the rest. */
export const halfTagLength = 11
const pattern = /^[\w-]{22}( [\w-]{22})*$/

export function printHeldTags(tags: readonly string[]): string {
  return tags.slice(0, maxHeldTags).join(" ") || "none"
}

/** Anything but a list of tags counts as none, and the answer is whole. */
export function readHeldTags(header: string): string[] {
  return pattern.test(header) ? header.split(" ", maxHeldTags) : []
}

/** The half for the items. */
export function itemsTag(tag: string): string {
  return tag.slice(0, halfTagLength)
}
