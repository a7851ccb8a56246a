const faults: Record<string, string> = {
  unreachable: "the mail server cannot be reached",
  timeout: "the mail server did not answer in time",
  tls: "there is no secure connection to the mail server",
  login: "the mail server refused our user name or password",
  protocol: "what answers is not a mail server",
  damaged: "a mail in the queue is damaged",
  invalid: "a mail cannot be sent to an address like this",
  expired: "a mail waited for too long",
}

/** Why a mail was not sent. The server's own words are not kept: they may name people. */
export function mailFaultInWords(fault: string): string {
  const [word = "", status = ""] = fault.split(" ")
  const withStatus = status === "" || status === "0" ? "" : ` (status ${status})`
  if (word === "recipient") return `the mail server refused the recipient${withStatus}`
  if (word === "refused") return `the mail server refused the mail${withStatus}`
  return faults[word] ?? fault
}
