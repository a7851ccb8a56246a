import { useEffect, useState } from "react"

/**
 * For a part that stands in place of the button that opened it: when it goes, a button of the same name that has come
 * back to the same section gets the focus, unless the focus has moved on by then.
 */
export function useReturnToOpener(): void {
  // While this is first rendered the opener is still on the page, and in an effect no longer.
  const [opener] = useState(() => {
    const { activeElement } = document
    return { place: activeElement?.closest("section, header"), name: activeElement?.textContent }
  })
  useEffect(
    () => () => {
      if (document.activeElement !== null && document.activeElement !== document.body) return
      const buttons = [...(opener.place?.querySelectorAll("button") ?? [])]
      buttons.find(({ textContent }) => textContent === opener.name)?.focus({ preventScroll: true })
    },
    [opener],
  )
}
