import { type ClaimedTeam, claimedTeams } from "@envkeep/contract"
import { NumberInput, TextInput } from "@mantine/core"
import { IconUnlink } from "@tabler/icons-react"
import { useCallForm } from "../../lib/call-form.ts"
import { counted } from "../../ui/counts.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { PersonName } from "../../ui/PersonName.tsx"
import { Section } from "../../ui/Section.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { useClaimedTeams, useTieTeam, useUntieTeam } from "./queries.ts"

/** Which teams a claim of the sign-in providers fills. Absent if no provider has such a claim and no team is filled. */
export function ClaimedTeamsSection() {
  const { data, error, refetch } = useClaimedTeams()
  if (data !== undefined && !data.hasClaim && data.teams.length === 0) return null
  return (
    <Section
      title="Teams of the sign-in providers"
      lead="Anyone who signs in with a value in the claim becomes a member of its team. Check who can change a team before you tie it."
    >
      <TieForm />
      {data === undefined && error === null && <Spinner />}
      {data === undefined && error !== null && (
        <LoadFailed title="The teams could not be loaded" message={error.message} onRetry={refetch} />
      )}
      {data?.teams.length === 0 && <p className="section__text">The claim fills no team yet.</p>}
      {data !== undefined && data.teams.length > 0 && (
        <div className="row-list">
          <LongList
            label="Teams"
            rows={data.teams}
            keyOf={({ id }) => id}
            search={{ label: "Find a team", textOf: ({ name, value }) => `${value} ${name}` }}
            render={(team) => <TeamRow team={team} />}
          />
        </div>
      )}
    </Section>
  )
}

function TieForm() {
  const form = useCallForm(claimedTeams.tie, { id: Number.NaN, value: "" })
  const tie = useTieTeam()
  const id = form.field("id")

  async function submit() {
    if ((await form.send(tie)) !== undefined) form.reset()
  }
  return (
    <Form label="Tie a team to a value" className="section__form" onSubmit={submit}>
      <TextInput label="Value in the claim" autoComplete="off" {...form.field("value")} />
      <NumberInput
        label="Number of the team"
        description="At the end of the address of its page"
        inputWrapperOrder={["label", "input", "description", "error"]}
        autoComplete="off"
        hideControls
        min={1}
        {...id}
        value={Number.isNaN(Number(id.value)) ? "" : id.value}
      />
      <SubmitButton className="beside-field">Tie</SubmitButton>
    </Form>
  )
}

function TeamRow({ team: { id, name, value, memberCount, admins } }: { team: ClaimedTeam }) {
  const untie = useUntieTeam()
  const [end] = useOnce(() => untie({ id }))
  const by = admins.map(({ username, email }) => `${username} (${email})`).join(", ")
  return (
    <div className="row-list__row">
      <PersonName
        name={name}
        chips={<span className="chip">{value}</span>}
        details={`Number ${id} · ${counted(memberCount, "member")} · changed by ${by}`}
      />
      <div className="row-list__end">
        <IconButton label={`Untie ${name}`} onClick={end}>
          <Icon shape={IconUnlink} />
        </IconButton>
      </div>
    </div>
  )
}
