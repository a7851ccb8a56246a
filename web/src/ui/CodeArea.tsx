import { Textarea, type TextareaProps } from "@mantine/core"
import type { Ref } from "react"
import "./code-area.css"

interface CodeAreaProps extends Omit<TextareaProps, "classNames"> {
  classNames?: { root?: string; wrapper?: string; input?: string }
  masked?: boolean
  ref?: Ref<HTMLTextAreaElement>
}

/** A field for text in the format of a file. Long lines do not wrap. */
export function CodeArea({ classNames = {}, masked = false, ...rest }: CodeAreaProps) {
  const input = ["code-area", masked && "code-area--masked", classNames.input].filter(Boolean).join(" ")
  return <Textarea classNames={{ ...classNames, input }} spellCheck={false} {...rest} />
}
