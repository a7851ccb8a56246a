import { accountScreens } from "./account.ts"
import { adminScreens } from "./admin.ts"
import { collectionScreens } from "./collections.ts"
import { compareScreens } from "./compare.ts"
import { environmentDialogs } from "./environment-dialogs.ts"
import { historyScreens } from "./history.ts"
import { inheritanceScreens } from "./inheritance.ts"
import { itemScreens } from "./items.ts"
import { nameScreens } from "./names.ts"
import { peopleScreens } from "./people.ts"
import { publicScreens } from "./public.ts"
import type { Screen } from "./screen.ts"
import { webhookScreens } from "./webhooks.ts"

/** Every screen and every dialog, with content. */
export const screens: Screen[] = [
  ...publicScreens,
  ...accountScreens,
  ...collectionScreens,
  ...peopleScreens,
  ...itemScreens,
  ...inheritanceScreens,
  ...nameScreens,
  ...webhookScreens,
  ...compareScreens,
  ...environmentDialogs,
  ...historyScreens,
  ...adminScreens,
]
