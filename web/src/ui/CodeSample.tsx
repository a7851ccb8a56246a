import { Button } from "@mantine/core"
import { IconCopy } from "@tabler/icons-react"
import { highlight, type Language } from "./highlight.ts"
import { Icon } from "./Icon.tsx"
import "./code-sample.css"

interface CodeSampleProps {
  /** What the code does, for the name of its copy button. */
  title: string
  language: Language
  code: string
  /** Undefined where a script adds it to the finished page. */
  onCopy: ((code: string) => void) | undefined
}

export function CodeSample({ title, language, code, onCopy }: CodeSampleProps) {
  // Tokens repeat, so their position is the key.
  const tokens = highlight(code, language).map((token, at) => ({ ...token, key: `${at}` }))
  return (
    <div className="code-sample">
      <pre>
        <code>
          {tokens.map(({ key, kind, text }) => (
            <span key={key} className={`code-sample__${kind}`}>
              {text}
            </span>
          ))}
        </code>
      </pre>
      <Button
        variant="default"
        size="compact-sm"
        className="code-sample__copy"
        leftSection={<Icon shape={IconCopy} />}
        aria-label={`Copy: ${title}`}
        onClick={() => onCopy?.(code)}
      >
        Copy
      </Button>
    </div>
  )
}
