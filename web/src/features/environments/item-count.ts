export function itemCount(items: number): string {
  return items === 1 ? "1 item" : `${items.toLocaleString("en-US")} items`
}

/** Of an environment that has a base. */
export function inheritedCount(own: number, inherited: number): string {
  return `${own.toLocaleString("en-US")} set here, ${inherited.toLocaleString("en-US")} inherited`
}
