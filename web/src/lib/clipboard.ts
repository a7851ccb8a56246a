import { notify } from "./notify.ts"
import { copySentences, writeClipboard } from "./write-clipboard.ts"

const topic = "clipboard"

export async function copy(text: string): Promise<void> {
  if (await writeClipboard(text)) notify.success(copySentences.success, topic)
  else notify.error(copySentences.error, topic)
}
