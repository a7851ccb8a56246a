import { LongList } from "../../ui/LongList.tsx"
import { ScrollBox } from "../../ui/ScrollBox.tsx"
import type { NewDescription } from "./found-descriptions.ts"
import { ruleOf } from "./kind-words.ts"
import "./names.css"

/** What would be stored about names. */
export function FoundDescriptions({ found }: { found: NewDescription[] }) {
  if (found.length === 0) return null
  return (
    <div className="found-descriptions">
      <ScrollBox label="What would be stored">
        <LongList
          label="Found descriptions"
          rows={found}
          keyOf={({ name }) => name}
          render={(one) => (
            <div className="problem__what">
              <code>{one.name}</code>
              <span className="problem__why keeps-lines">{linesOf(one).join("\n")}</span>
            </div>
          )}
        />
      </ScrollBox>
    </div>
  )
}

function linesOf({ description, isRequired, isSecret, kind, choices = [], example }: NewDescription): string[] {
  const marks = [
    ...(isRequired ? ["Required"] : []),
    ...(isSecret === false ? ["Plain"] : []),
    ...(kind === undefined || kind === "text" ? [] : [`Should be ${ruleOf({ kind, choices })}`]),
  ]
  return [
    ...(description === undefined ? [] : [description]),
    ...(marks.length === 0 ? [] : [marks.join(" · ")]),
    ...(example === undefined ? [] : [`Example: ${example}`]),
  ]
}
