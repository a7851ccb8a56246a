import { admin, productCategories, productTypes } from "@envkeep/contract"
import { Select, Textarea, TextInput } from "@mantine/core"
import { useCallForm } from "../../lib/call-form.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useCreateProduct } from "./queries.ts"

const blank = { name: "", description: "", type: "SERVICE", category: "SOFTWARE" } as const

/** Renders the options inside the form instead of at the end of the page. */
const withoutPortal = { withinPortal: false }

export function ProductForm() {
  const form = useCallForm(admin.createProduct, blank)
  const create = useCreateProduct()

  async function submit() {
    if ((await form.send(create)) !== undefined) form.reset()
  }
  return (
    <Form label="Create product" className="product-form" onSubmit={submit}>
      <TextInput label="Name" autoComplete="off" {...form.field("name")} />
      <Select
        label="Type"
        data={productTypes}
        allowDeselect={false}
        comboboxProps={withoutPortal}
        {...form.field("type")}
      />
      <Select
        label="Category"
        data={productCategories}
        searchable
        selectFirstOptionOnChange
        nothingFoundMessage="No such category"
        allowDeselect={false}
        comboboxProps={withoutPortal}
        withScrollArea={false}
        classNames={{ options: "product-form__options" }}
        {...form.field("category")}
      />
      <Textarea
        label="Description"
        className="product-form__wide"
        autosize
        minRows={2}
        maxRows={8}
        {...form.field("description")}
      />
      <div className="product-form__wide">
        <SubmitButton>Create product</SubmitButton>
      </div>
    </Form>
  )
}
