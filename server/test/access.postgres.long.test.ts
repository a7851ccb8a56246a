// Who may do what is decided by queries, so `npm run test:long` makes every call in every role on PostgreSQL too.
import "./access.test.ts"
