import { type Level, levels } from "@envkeep/contract"
import { roleWords } from "../../../lib/roles.ts"
import "./sharing.css"

/** What each role may do, for those who ask. */
export function RoleTable({ role }: { role: Level }) {
  return (
    <details className="role-table">
      <summary>
        Your role is <strong>{role}</strong>. What can each role do?
      </summary>
      <dl className="card lined">
        {levels.map((level) => (
          <div key={level}>
            <dt>{roleWords[level].label}</dt>
            <dd>{roleWords[level].does}</dd>
          </div>
        ))}
      </dl>
      <p>Each role includes those above it. If people get several, by name and through teams, the strongest counts.</p>
    </details>
  )
}
