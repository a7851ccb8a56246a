/** An answer of plain text, ready to send. */
export interface TextAnswer {
  status: 200 | 304
  /** All headers as name, value, name, value: the form that costs Node the least work. */
  headers: string[]
  /** Latin-1: each character is one byte. */
  body: string
}
