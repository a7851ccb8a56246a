/** A castle keep. Its two lit windows form the equals sign between a name and its value. */
export function Logo({ size = 32 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="logo">
      <path
        className="logo__tower"
        d="M5 4.6c0-.6.4-1 1-1h3.2c.6 0 1 .4 1 1v2.9h3V4.6c0-.6.4-1 1-1h3.6c.6 0 1 .4 1 1v2.9h3V4.6c0-.6.4-1 1-1H26c.6 0 1 .4 1 1v7.2c0 .7-.3 1.3-.8 1.7l-1.4 1.2v11.8c0 1.1-.9 2-2 2H9.2c-1.1 0-2-.9-2-2V14.7l-1.4-1.2c-.5-.4-.8-1-.8-1.7V4.6Z"
      />
      <rect className="logo__light" x="11.25" y="15" width="9.5" height="2.6" rx="1.3" />
      <rect className="logo__light" x="11.25" y="20" width="9.5" height="2.6" rx="1.3" />
    </svg>
  )
}
