import type { Migration } from "../migrate.ts"

/** The owner who asks a member to take the collection over. Only a member who accepts comes to pay for it. */
export const askedToPay: Migration = {
  name: "032-asked-to-pay",
  async up(db) {
    await db.schema.alterTable("collection_member").addColumn("asked_to_pay_by", "bigint").execute()
  },
}
