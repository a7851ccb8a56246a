export function itemCount(items: number): string {
  return items === 1 ? "1 item" : `${items.toLocaleString("en-US")} items`
}
