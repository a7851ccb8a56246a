import { TimeAgo } from "./TimeAgo.tsx"
import { type Known, type What, who } from "./who-and-when.ts"

/** "Changed by ann 5 minutes ago", as time passes. */
export function WhoAndWhen({ what, known }: { what: What; known: Known | null | undefined }) {
  return (
    <>
      {who(what, known)}
      {known?.at != null && (
        <>
          {" "}
          <TimeAgo at={known.at} />
        </>
      )}
    </>
  )
}
