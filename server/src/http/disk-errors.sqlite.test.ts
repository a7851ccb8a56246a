import { sentences } from "@envkeep/contract"
import fastify from "fastify"
import { expect, onTestFinished, test } from "vitest"
import { answerError } from "./errors.ts"

test.each([
  ["a read that fails", 266, sentences.diskUnreadable],
  ["a damaged page", 11, sentences.diskUnreadable],
  ["a log that was not brought to the disk for certain", 1034, sentences.savedUnknown],
  ["a write that fails", 778, sentences.diskFull],
  ["locks that fail", 15, sentences.diskFull],
])("%s is answered 503, with what is known of it", async (_, errcode, msg) => {
  const http = fastify()
  onTestFinished(() => http.close())
  http.setErrorHandler(answerError)
  http.get("/", () => {
    throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode })
  })
  const answer = await http.inject("/")
  expect([answer.statusCode, answer.json()]).toEqual([503, { error: true, msg, data: null }])
})
