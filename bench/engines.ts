export const engines = ["sqlite", "postgres"] as const
export type Engine = (typeof engines)[number]
export const engineNames = { sqlite: "SQLite", postgres: "PostgreSQL" }
