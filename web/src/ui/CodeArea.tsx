import { Textarea, type TextareaProps } from "@mantine/core"
import type { Ref } from "react"
import "./code-area.css"

interface CodeAreaProps extends Omit<TextareaProps, "classNames"> {
  classNames?: { root?: string; wrapper?: string; input?: string }
  ref?: Ref<HTMLTextAreaElement>
}

/** A field for text in the format of a file. Long lines do not wrap. */
export function CodeArea({ classNames = {}, ...rest }: CodeAreaProps) {
  const input = classNames.input === undefined ? "code-area" : `code-area ${classNames.input}`
  return <Textarea classNames={{ ...classNames, input }} spellCheck={false} {...rest} />
}
