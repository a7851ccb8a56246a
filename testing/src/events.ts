/** Reads server-sent events one by one, as a client does. */
export async function* readEvents(response: Response): AsyncGenerator<{ event: string; data: unknown }> {
  let text = ""
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString("utf8")
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const block = text.slice(0, end)
      text = text.slice(end + 2)
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
      const event = field("event")
      if (event !== undefined) yield { event, data: JSON.parse(field("data") ?? "null") }
    }
  }
}
