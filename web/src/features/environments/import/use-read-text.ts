import type { Syntax, WhereTo } from "@envkeep/formats/import"
import { useEffect, useRef, useState } from "react"
import { type ReadText, readText, type ToRead } from "./read-text.ts"

/** About a thousand lines, which are read between two key presses. */
const longTextCharacters = 50_000
/** To keep typing fast, a worker reads the first change at once and later ones after a pause in typing. */
const pauseMs = 250
/** What would take longer than a second is refused before it is read, so this is for machines that are slow or busy. */
const maxReadingMs = 5_000

const takesTooLong = "This text takes too long to read. Import a part of it, or a .env or JSON file"
const cannotRead = "The text could not be read. Reload the page and try again"

/**
 * Reads a text whenever it changes. `read` is the last that was read, and `isCurrent` whether it is of this text. A long
 * text, and YAML, whose parser is large and slow, are read by a worker.
 */
export function useReadText(text: string, syntax: Syntax, { environmentName, isProtected }: WhereTo) {
  const [done, setDone] = useState<{ of: ToRead; read: ReadText }>()
  const changedAtMs = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const isTyping = performance.now() - changedAtMs.current < pauseMs
    changedAtMs.current = performance.now()
    const of = { text, syntax, where: { environmentName, isProtected } }
    let isStale = false
    const finish = (read: ReadText) => {
      if (!isStale) setDone({ of, read })
    }
    const stop = isQuick(of) ? undefined : readInWorker(of, isTyping ? pauseMs : 0, finish)
    if (stop === undefined) readText(of).then(finish, () => finish(refusedText(of, cannotRead)))
    return () => {
      isStale = true
      stop?.()
    }
  }, [text, syntax, environmentName, isProtected])
  const isCurrent = done?.of.text === text && done.of.syntax === syntax
  return { read: done?.read, isCurrent, isSlow: !isCurrent && !isQuick({ text, syntax }) }
}

function isQuick({ text, syntax }: Pick<ToRead, "text" | "syntax">): boolean {
  return text.length <= longTextCharacters && syntax !== "yaml"
}

/** Returns what ends it. A worker for each text, because only ending it stops it. */
function readInWorker(of: ToRead, waitMs: number, finish: (read: ReadText) => void): () => void {
  let worker: Worker | undefined
  let timer = setTimeout(start, waitMs)
  return stop

  function start(): void {
    worker = new Worker(new URL("./import-worker.ts", import.meta.url), { type: "module" })
    worker.addEventListener("message", ({ data }: MessageEvent<ReadText>) => end(data))
    worker.addEventListener("error", () => end(refusedText(of, cannotRead)))
    worker.postMessage(of)
    timer = setTimeout(() => end(refusedText(of, takesTooLong)), maxReadingMs)
  }

  function end(read: ReadText): void {
    stop()
    finish(read)
  }

  function stop(): void {
    clearTimeout(timer)
    worker?.terminate()
  }
}

function refusedText({ syntax }: ToRead, refusal: string): ReadText {
  return {
    syntax,
    what: "Text",
    because: "",
    entries: [],
    faults: [],
    findings: [],
    refusal,
  }
}
