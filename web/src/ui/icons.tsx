import type { ReactNode, SVGProps } from "react"

function Icon({ children, ...rest }: { children: ReactNode } & SVGProps<SVGSVGElement>) {
  return (
    <svg
      viewBox="0 0 20 20"
      width="1.125em"
      height="1.125em"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      {...rest}
    >
      {children}
    </svg>
  )
}

export const CopyIcon = () => (
  <Icon>
    <rect x="7" y="7" width="9.5" height="9.5" rx="2" />
    <path d="M13 7V5.5a2 2 0 0 0-2-2H5.5a2 2 0 0 0-2 2V11a2 2 0 0 0 2 2H7" />
  </Icon>
)
export const EyeIcon = () => (
  <Icon>
    <path d="M2.5 10S5.2 4.75 10 4.75 17.5 10 17.5 10 14.8 15.25 10 15.25 2.5 10 2.5 10Z" />
    <circle cx="10" cy="10" r="2.25" />
  </Icon>
)
export const EyeOffIcon = () => (
  <Icon>
    <path d="M8.1 5a7 7 0 0 1 1.9-.25c4.8 0 7.5 5.25 7.5 5.25a13 13 0 0 1-1.8 2.45M5.1 6.5A12.6 12.6 0 0 0 2.5 10s2.7 5.25 7.5 5.25a7.4 7.4 0 0 0 3.6-.95M8.3 8.5a2.25 2.25 0 0 0 3.1 3.15M3.5 3.5l13 13" />
  </Icon>
)
export const PencilIcon = () => (
  <Icon>
    <path d="m12.5 4.5 3 3L7 16l-3.75.75L4 13l8.5-8.5ZM11 6l3 3" />
  </Icon>
)
export const TrashIcon = () => (
  <Icon>
    <path d="M3.75 5.75h12.5M8 5.5v-1a1 1 0 0 1 1-1h2a1 1 0 0 1 1 1v1M5.25 5.75l.7 9.4a1.5 1.5 0 0 0 1.5 1.35h5.1a1.5 1.5 0 0 0 1.5-1.35l.7-9.4M8.5 9v4.25M11.5 9v4.25" />
  </Icon>
)
export const KeyIcon = () => (
  <Icon>
    <circle cx="6.75" cy="13.25" r="3.5" />
    <path d="m9.25 10.75 7-7M13.5 6.5l2 2M11.5 8.5l1.5 1.5" />
  </Icon>
)
export const RawIcon = () => (
  <Icon>
    <path d="M7 5.5 2.75 10 7 14.5M13 5.5 17.25 10 13 14.5" />
  </Icon>
)
export const PlusIcon = () => (
  <Icon>
    <path d="M10 4v12M4 10h12" />
  </Icon>
)
export const ChevronIcon = () => (
  <Icon>
    <path d="m7.5 4.5 5.5 5.5-5.5 5.5" />
  </Icon>
)
export const SearchIcon = () => (
  <Icon>
    <circle cx="9" cy="9" r="5.25" />
    <path d="m13 13 3.5 3.5" />
  </Icon>
)
export const MenuIcon = () => (
  <Icon>
    <path d="M3 6h14M3 10h14M3 14h14" />
  </Icon>
)
export const SunIcon = () => (
  <Icon>
    <circle cx="10" cy="10" r="3.25" />
    <path d="M10 2.5v1.75M10 15.75v1.75M2.5 10h1.75M15.75 10h1.75M4.7 4.7l1.25 1.25M14.05 14.05l1.25 1.25M4.7 15.3l1.25-1.25M14.05 5.95l1.25-1.25" />
  </Icon>
)
export const MoonIcon = () => (
  <Icon>
    <path d="M16.5 11.6A6.75 6.75 0 0 1 8.4 3.5a6.75 6.75 0 1 0 8.1 8.1Z" />
  </Icon>
)
export const LockIcon = () => (
  <Icon>
    <rect x="4" y="9" width="12" height="7.5" rx="2" />
    <path d="M6.75 9V6.5a3.25 3.25 0 0 1 6.5 0V9M10 12v1.5" />
  </Icon>
)
export const BoltIcon = () => (
  <Icon>
    <path d="M11 2.75 4.25 11.5H10l-1 5.75 6.75-8.75H10l1-5.75Z" />
  </Icon>
)
export const BytesIcon = () => (
  <Icon>
    <rect x="3.5" y="4" width="4" height="5" rx="1.5" />
    <rect x="12.5" y="11" width="4" height="5" rx="1.5" />
    <path d="M12.5 4h1.75v5M4 11h1.75v5M3.75 16h3.75M12.25 9H16" />
  </Icon>
)
export const BoxIcon = () => (
  <Icon>
    <path d="M10 2.75 16.5 6v8L10 17.25 3.5 14V6L10 2.75ZM3.75 6.25 10 9.5l6.25-3.25M10 9.5v7.5" />
  </Icon>
)
export const LayersIcon = () => (
  <Icon>
    <path d="m10 3.25 7 3.5-7 3.5-7-3.5 7-3.5ZM3.25 10.25 10 13.6l6.75-3.35M3.25 13.5 10 16.85l6.75-3.35" />
  </Icon>
)
export const WarningIcon = () => (
  <Icon>
    <path d="M10 3.5 17.5 16.25h-15L10 3.5ZM10 8.25v3.5M10 13.9v.1" />
  </Icon>
)
export const UndoIcon = () => (
  <Icon>
    <path d="M7 4 3.5 7.5 7 11M3.75 7.5h8a4.25 4.25 0 0 1 0 8.5H8" />
  </Icon>
)
export const ImportIcon = () => (
  <Icon>
    <path d="M10 3v9M6.5 8.75 10 12.25l3.5-3.5M3.5 12.5v2a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2v-2" />
  </Icon>
)
export const ExportIcon = () => (
  <Icon>
    <path d="M10 12.25v-9M6.5 6.5 10 3l3.5 3.5M3.5 12.5v2a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2v-2" />
  </Icon>
)
