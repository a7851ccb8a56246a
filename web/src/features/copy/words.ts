/** For what a copy does not have because its stored row is damaged. */
export function leftOut(count: number): string {
  return count === 1
    ? "1 item is damaged and was left out"
    : `${count.toLocaleString("en-US")} items are damaged and were left out`
}
