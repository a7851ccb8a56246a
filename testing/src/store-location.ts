/** Where a store lives: its data folder and, on PostgreSQL, its database. */
export interface StoreLocation {
  dataDir: string
  databaseUrl: string | undefined
}
