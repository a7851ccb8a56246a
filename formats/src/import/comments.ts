/** Whether a comment is a variable that was switched off, as in `# DEBUG=1`. */
function assignedIn(comment: string): boolean {
  return /^\s*#\s*(?:export\s+)?[A-Za-z_][\w.-]*=/.test(comment)
}

/** A longer comment is not about one name. */
const maxLines = 20

/**
 * The comments above a name, with one more line. A blank or drawn line (`#-----`) ends them: what is above it is about
 * the file or a group of names.
 */
export function withComment(comments: string[], line: string): string[] {
  if (/^\s*#(?:!|\s*Created by )/.test(line) || assignedIn(line)) return comments
  // One sign alone is a blank line within a comment.
  if (/^\s*#\s*$/.test(line) && comments.length > 0) return [...comments.slice(-maxLines), line]
  return /^[-=#*_~\s/]*$/.test(line) ? [] : [...comments.slice(-maxLines), line]
}

/** What comment lines say, without their signs. */
export function describe(lines: string[]): { description?: string } {
  const description = lines
    .map((line) => line.replace(/^\s*#+/, "").trim())
    .join("\n")
    .trim()
  return description === "" ? {} : { description }
}
