import { encode } from "uqr"

/** Scanners want some white around the code. */
const quietZone = 4
/** A whole number, so that all modules have the same size. */
const modulePx = 4

/** Black on white in both themes: many scanners do not read a code with the colours reversed. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: quietZone, ecc: "L" })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")
  return (
    <svg
      className="qr-code"
      width={size * modulePx}
      height={size * modulePx}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
