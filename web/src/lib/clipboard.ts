import { notify } from "./notify.ts"

export async function copy(text: string): Promise<void> {
  try {
    // Missing where the page is not served securely; the catch then says the same as for a refusal.
    await navigator.clipboard.writeText(text)
    notify.success("Copied to clipboard")
  } catch {
    notify.error("Failed to copy to clipboard")
  }
}
