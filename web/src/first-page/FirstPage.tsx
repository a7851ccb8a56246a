import { CloseButton, MantineProvider, Notification } from "@mantine/core"
import { IconMenu2 } from "@tabler/icons-react"
import { MemoryRouter } from "react-router"
import { Bar } from "../app/Bar.tsx"
import { NavLinks } from "../app/NavLinks.tsx"
import { type NavLink, navLinks } from "../app/nav-links.ts"
import { SchemeButton } from "../app/SchemeButton.tsx"
import { SkipLink } from "../app/SkipLink.tsx"
import { cssVariables, theme } from "../app/theme.ts"
import { guestStart, Landing, type LandingFacts } from "../features/landing/Landing.tsx"
import { noticeColors } from "../lib/notice-kinds.ts"
import { copySentences } from "../lib/write-clipboard.ts"
import { Icon } from "../ui/Icon.tsx"
import { IconButton } from "../ui/IconButton.tsx"
import { Logo } from "../ui/Logo.tsx"

interface FirstPageProps {
  canRegister: boolean
  facts: Omit<LandingFacts, "start">
}

/** What a guest gets at `/`: the landing page as the app shows it, made of HTML that needs no React in the browser. */
export function FirstPage({ canRegister, facts }: FirstPageProps) {
  const links = navLinks(null, canRegister)
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <MemoryRouter>
        <SkipLink />
        <Bar links={links} menu={<Menu links={links} />}>
          {/* The style sheet shows the one that fits. */}
          <SchemeButton to="dark" />
          <SchemeButton to="light" />
          <div className="nav-bar__toggle">
            <IconButton label="Open menu" size="xl" aria-haspopup="dialog" {...menuCommand("show-modal")}>
              <Icon shape={IconMenu2} />
            </IconButton>
          </div>
        </Bar>
        <main id="main" tabIndex={-1}>
          <Landing facts={{ ...facts, start: guestStart(canRegister) }} />
        </main>
        <div className="notifications" data-position="top-center">
          <div />
        </div>
        <Notice kind="success" />
        <Notice kind="error" />
      </MemoryRouter>
    </MantineProvider>
  )
}

const menuId = "menu"

/** What a button does with the menu. Current browsers need no script for it. */
function menuCommand(command: "show-modal" | "close"): object {
  return { command, commandfor: menuId }
}

function Menu({ links }: { links: NavLink[] }) {
  return (
    <dialog id={menuId} className="nav-menu first-menu" aria-label="Menu">
      <div className="nav-menu__head">
        <Logo size={28} />
        <CloseButton aria-label="Close menu" size="xl" {...menuCommand("close")} />
      </div>
      <nav className="first-menu__links" aria-label="Main">
        <NavLinks links={links} />
      </nav>
    </dialog>
  )
}

/** What the script shows after a copy. */
function Notice({ kind }: { kind: keyof typeof copySentences }) {
  return (
    <template data-notice={kind}>
      <Notification
        color={noticeColors[kind]}
        className={`notification notification--${kind}`}
        closeButtonProps={{ "aria-label": "Dismiss" }}
      >
        {copySentences[kind]}
      </Notification>
    </template>
  )
}
