import { useId } from "react"
import "./names.css"

interface CheckFieldProps {
  label: string
  description?: string
  checked: boolean
  onChange: (checked: boolean) => void
}

export function CheckField({ label, description, checked, onChange }: CheckFieldProps) {
  const hint = useId()
  return (
    <div className="check-field">
      <label>
        <input
          type="checkbox"
          checked={checked}
          {...(description !== undefined && { "aria-describedby": hint })}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
      {description !== undefined && (
        <span id={hint} className="check-field__hint">
          {description}
        </span>
      )}
    </div>
  )
}
