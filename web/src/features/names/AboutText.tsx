import type { About } from "@envkeep/contract"
import { Button, Group, Text } from "@mantine/core"
import { ruleOf } from "./kind-words.ts"

interface AboutTextProps {
  about: About
  isDescribed: boolean
  onClose: () => void
}

/** For those who may not change it. */
export function AboutText({ about, isDescribed, onClose }: AboutTextProps) {
  const { description, isRequired, isSecret, kind, example } = about
  return (
    <>
      {!isDescribed && (
        <Text size="sm" c="dimmed">
          This name is not described yet. Editors of the collection can describe it.
        </Text>
      )}
      {description !== "" && <Text className="keeps-lines breaks-anywhere">{description}</Text>}
      {isDescribed && (
        <dl className="about-facts">
          <dt>Required</dt>
          <dd>{isRequired ? "Yes" : "No"}</dd>
          <dt>Values</dt>
          <dd>{isSecret ? "Secret" : "Shown unmasked"}</dd>
          {kind !== "text" && (
            <>
              <dt>Kind</dt>
              <dd className="breaks-anywhere">{`A value is ${ruleOf(about)}`}</dd>
            </>
          )}
          {example !== "" && (
            <>
              <dt>Example</dt>
              <dd>
                <code className="breaks-anywhere">{example}</code>
              </dd>
            </>
          )}
        </dl>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </>
  )
}
