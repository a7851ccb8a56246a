interface Part {
  start: number
  text: string
  isMarked: boolean
}

/** The parts of a text: each word that was searched for is marked where it is first. */
export function markedParts(text: string, sought: string): Part[] {
  const folded = text.toLowerCase()
  // A few letters are longer in lower case. Then the position is that of another letter.
  if (folded.length !== text.length) return [{ start: 0, text, isMarked: false }]
  const whole = sought.toLowerCase()
  const words = whole !== "" && folded.includes(whole) ? [whole] : whole.split(/\s+/).filter(Boolean)
  const marked = new Array<boolean>(text.length).fill(false)
  for (const word of words) {
    const at = folded.indexOf(word)
    if (at !== -1) marked.fill(true, at, at + word.length)
  }
  const parts: Part[] = []
  for (let at = 0; at < text.length; at++) {
    const isMarked = marked[at] === true
    const last = parts.at(-1)
    if (last?.isMarked === isMarked) last.text += text[at]
    else parts.push({ start: at, text: text[at] ?? "", isMarked })
  }
  return parts
}
