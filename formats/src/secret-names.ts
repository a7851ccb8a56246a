/** What a Kubernetes Secret is called, and where it belongs. Without a namespace, the one that `kubectl` uses. */
export interface SecretNames {
  name?: string | undefined
  namespace?: string | undefined
}

const isNamespace = /^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const isName = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Why Kubernetes would refuse them, or undefined when it would not. */
export function secretNamesFault({ name, namespace }: SecretNames): string | undefined {
  if (name !== undefined && !isName.test(name)) {
    return "The name of a Secret has 1 to 253 small letters, digits, - and . and starts and ends with a letter or digit"
  }
  if (namespace !== undefined && !isNamespace.test(namespace)) {
    return "The name of a namespace has 1 to 63 small letters, digits and - and starts and ends with a letter or digit"
  }
  return undefined
}
