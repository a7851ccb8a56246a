import { type Product, productCategories, productTypes } from "@envkeep/contract"
import { Select, Textarea, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useCreateProduct } from "./queries.ts"

const blank: Omit<Product, "id"> = { name: "", description: "", type: "SERVICE", category: "SOFTWARE" }

/** Renders the options inside the form instead of at the end of the page. */
const withoutPortal = { withinPortal: false }

export function ProductForm() {
  const form = useForm({ initialValues: blank })
  const create = useCreateProduct()

  async function submit() {
    if ((await create(form.getValues())) !== undefined) form.reset()
  }
  return (
    <Form label="Create product" className="product-form" onSubmit={submit}>
      <TextInput label="Name" autoComplete="off" {...form.getInputProps("name")} />
      <Select
        label="Type"
        data={productTypes}
        allowDeselect={false}
        comboboxProps={withoutPortal}
        {...form.getInputProps("type")}
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
        {...form.getInputProps("category")}
      />
      <Textarea
        label="Description"
        className="product-form__wide"
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps("description")}
      />
      <div className="product-form__wide">
        <SubmitButton>Create product</SubmitButton>
      </div>
    </Form>
  )
}
