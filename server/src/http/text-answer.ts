/** An answer that is text itself, ready to be sent. */
export interface TextAnswer {
  status: 200 | 304
  /** All of them, as Node takes them without another look: name, value, name, value. */
  headers: string[]
  /** Latin-1: each character stands for one byte. */
  body: string
}
