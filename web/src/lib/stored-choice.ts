import { useLocalStorage } from "@mantine/hooks"

/** What the user has chosen in this browser. Nothing is stored until then: a default there would look like a choice. */
export function useStoredChoice<Choice extends string | number>(
  key: string,
  choices: readonly [Choice, ...Choice[]],
): [chosen: Choice, choose: (choice: Choice) => void] {
  const [stored, setStored] = useLocalStorage<Choice | undefined>({
    key,
    getInitialValueInEffect: false,
    serialize: String,
    // The user can change the storage, so anything else is ignored.
    deserialize: (text) => choices.find((choice) => String(choice) === text),
  })
  return [stored ?? choices[0], setStored]
}
