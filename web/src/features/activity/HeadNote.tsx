import type { AuditHead } from "@envkeep/contract"
import { Text } from "@mantine/core"
import { IconCopy, IconShieldCheck } from "@tabler/icons-react"
import { copy } from "../../lib/clipboard.ts"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"

/** The end of the audit trail, for people to write down. */
export function HeadNote({ head }: { head: AuditHead | null }) {
  if (head === null) return null
  const { position, mac } = head
  return (
    <aside className="activity-head" aria-label="Audit trail">
      <Icon shape={IconShieldCheck} />
      <Text size="sm" c="dimmed">
        <strong>
          Position {formatNumber(position)}, <code>{mac.slice(0, 8)}…</code>
        </strong>{" "}
        Keep a copy of this somewhere else: <code>npm run verify-audit</code> then proves that nothing up to this
        position was changed or removed.
      </Text>
      <IconButton label="Copy the position" onClick={() => copy(`${position}:${mac}`)}>
        <Icon shape={IconCopy} />
      </IconButton>
    </aside>
  )
}
