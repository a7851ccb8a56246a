/** What a Kubernetes Secret is called, and where it belongs. Without a namespace, the one that `kubectl` uses. */
export interface SecretNames {
  name?: string | undefined
  namespace?: string | undefined
}

/** Why Kubernetes would refuse them, or undefined when it would not. */
export function secretNamesFault({ name, namespace }: SecretNames): string | undefined {
  if (name !== undefined && !(name.length <= 253 && name.split(".").every(isLabel))) {
    return "The name of a Secret has 1 to 253 small letters, digits, - and . and starts and ends with a letter or digit"
  }
  if (namespace !== undefined && !(namespace.length <= 63 && isLabel(namespace))) {
    return "The name of a namespace has 1 to 63 small letters, digits and - and starts and ends with a letter or digit"
  }
  return undefined
}

function isLabel(text: string): boolean {
  return /^[-a-z0-9]+$/.test(text) && !text.startsWith("-") && !text.endsWith("-")
}
