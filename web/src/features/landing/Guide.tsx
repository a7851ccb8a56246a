import { Text, Title } from "@mantine/core"
import { CodeSample } from "../../ui/CodeSample.tsx"
import { samples } from "./samples.ts"

interface GuideProps {
  origin: string
  clientIntegrity: string
  onCopy: ((code: string) => void) | undefined
}

export function Guide({ origin, clientIntegrity, onCopy }: GuideProps) {
  return (
    <section id="guide" className="landing__section" aria-labelledby="guide-title">
      <Title order={2} id="guide-title" className="landing__title">
        Read your variables anywhere
      </Title>
      <Text c="dimmed" size="lg" mt={10} maw={620}>
        Create a collection for your app, an environment for each place it runs, and an API key for each machine. Then:
      </Text>
      <ol className="guide">
        {samples(origin, clientIntegrity).map(({ detail, ...sample }) => (
          <li key={sample.title} className="guide__step">
            <div>
              <Title order={3}>{sample.title}</Title>
              <Text c="dimmed" size="sm" mt={4}>
                {sample.text}
              </Text>
              {detail !== undefined && <p className="guide__detail">{detail}</p>}
            </div>
            <CodeSample {...sample} onCopy={onCopy} />
          </li>
        ))}
      </ol>
    </section>
  )
}
