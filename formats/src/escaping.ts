// The byte order mark is a character like any other.
const decoder = new TextDecoder("utf-16le", { ignoreBOM: true })

/**
 * A function that replaces each of these characters in well-formed text. Not `replace`, which makes several objects for
 * each match: where every character has to be escaped, that takes several times as long.
 */
export function escaping(characters: string, toEscape: (character: string) => string): (text: string) => string {
  const all = [...characters]
  const escapes = new Map(all.map((character) => [character.charCodeAt(0), toEscape(character)]))
  const longest = Math.max(...Array.from(escapes.values(), ({ length }) => length))
  return (text) => (all.some((character) => text.includes(character)) ? escapeEach(text) : text)

  function escapeEach(text: string): string {
    const units = new Uint16Array(text.length * longest)
    let length = 0
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      const escaped = escapes.get(unit)
      if (escaped === undefined) units[length++] = unit
      else for (let index = 0; index < escaped.length; index++) units[length++] = escaped.charCodeAt(index)
    }
    return decoder.decode(units.subarray(0, length))
  }
}
