import { type Product, productCategories, productTypes } from "@envkeep/contract"
import { Select, Textarea, TextInput } from "@mantine/core"
import { useState } from "react"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useCreateProduct } from "./queries.ts"

const blank: Omit<Product, "id"> = { name: "", description: "", type: "SERVICE", category: "SOFTWARE" }

/** The lists stand in the form they belong to, not at the end of the page. */
const inPlace = { withinPortal: false }

export function ProductForm() {
  const [product, setProduct] = useState(blank)
  const create = useCreateProduct()
  const set = (change: Partial<typeof blank>) => setProduct((held) => ({ ...held, ...change }))

  async function submit() {
    if ((await create(product)) !== undefined) setProduct(blank)
  }
  return (
    <Form label="Create product" className="product-form" onSubmit={submit}>
      <TextInput
        label="Name"
        autoComplete="off"
        value={product.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Select
        label="Type"
        data={productTypes}
        allowDeselect={false}
        comboboxProps={inPlace}
        value={product.type}
        onChange={(type) => type !== null && set({ type })}
      />
      <Select
        label="Category"
        data={productCategories}
        searchable
        selectFirstOptionOnChange
        nothingFoundMessage="No such category"
        allowDeselect={false}
        comboboxProps={inPlace}
        withScrollArea={false}
        classNames={{ options: "product-form__options" }}
        value={product.category}
        onChange={(category) => category !== null && set({ category })}
      />
      <Textarea
        label="Description"
        className="product-form__wide"
        autosize
        minRows={2}
        maxRows={8}
        value={product.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <div className="product-form__wide">
        <SubmitButton>Create product</SubmitButton>
      </div>
    </Form>
  )
}
