import { domainToASCII } from "node:url"
import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/**
 * A domain that is not written in ASCII has one form in the keys of e-mails: `bücher.example` and `xn--bcher-kva.example` are
 * the same mailbox. If both have an account already, each keeps its key.
 */
export const emailDomains: Migration = {
  name: "033-email-domains",
  async up(db, _engine, say) {
    const { rows } = await sql<{ id: number; key: string }>`
      select id, email_key as key from "user" where octet_length(email_key) > length(email_key) order by id`.execute(db)
    for (const { id, key } of rows) {
      const found = inAscii(key)
      if (found === key) continue
      const others = await sql`select 1 from "user" where email_key = ${found}`.execute(db)
      if (others.rows.length > 0)
        say(`the account ${id} has the e-mail of another one, so only that one is found by it`)
      else await sql`update "user" set email_key = ${found} where id = ${id}`.execute(db)
    }
  },
}

function inAscii(key: string): string {
  const at = key.lastIndexOf("@") + 1
  const domain = key.slice(at)
  const isName = at > 0 && !/^\p{ASCII}*$/u.test(domain) && /^(?:[a-z\d.-]|\P{ASCII})+$/iu.test(domain)
  return key.slice(0, at) + ((isName && domainToASCII(domain)) || domain)
}
