import type { Migration } from "../migrate.ts"
import { initial } from "./001-initial.ts"
import { rootKeyBridge } from "./002-root-key-bridge.ts"

/** In order. Never edited once merged: `checksums.json` is compared with them. */
export const migrations: readonly Migration[] = [initial, rootKeyBridge]
