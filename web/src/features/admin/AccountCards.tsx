import { Text } from "@mantine/core"
import { sizeInWords } from "../../lib/size.ts"
import { formatNumber } from "../../ui/counts.ts"
import { AccountActions } from "./AccountActions.tsx"
import { AccountStatus, LastSignIn } from "./AccountParts.tsx"
import type { AccountListProps } from "./account-columns.ts"

/** The list on a phone, where a table would have to be scrolled to both sides. */
export function AccountCards({ accounts }: Pick<AccountListProps, "accounts">) {
  return (
    <ul className="account-cards" aria-label="All users">
      {accounts.map((account) => (
        <li key={account.id} className="card account-card" data-disabled={account.isDisabled || undefined}>
          <div className="account-card__head">
            <div>
              <Text fw={600} className="breaks-anywhere">
                {account.username}
              </Text>
              <Text size="sm" c="dimmed" className="breaks-anywhere">
                {account.email}
              </Text>
            </div>
            <AccountActions account={account} />
          </div>
          <AccountStatus account={account} />
          <dl className="account-card__facts">
            <Fact name="Collections">{formatNumber(account.collections)}</Fact>
            <Fact name="Items">{formatNumber(account.items)}</Fact>
            <Fact name="Stored">{sizeInWords(account.bytes)}</Fact>
            <div>
              <dt>Last sign-in</dt>
              <dd>
                <LastSignIn account={account} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  )
}

function Fact({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
