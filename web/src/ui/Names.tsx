/** Variable names in a sentence, each in code style. */
export function Names({ names }: { names: string[] }) {
  return (
    <>
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ", "}
          <code className="breaks-anywhere">{name}</code>
        </span>
      ))}
    </>
  )
}
