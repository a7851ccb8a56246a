import { Title } from "@mantine/core"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { Trail } from "../../ui/Trail.tsx"
import { ProductForm } from "./ProductForm.tsx"
import { ProductTable } from "./ProductTable.tsx"
import { useProducts } from "./queries.ts"
import "./admin.css"

export function ProductsScreen() {
  return (
    <Page title="Products" trail={<Trail to="/admin/dashboard">Admin Dashboard</Trail>}>
      <section className="card card--padded">
        <Title order={2} mb="md">
          Create product
        </Title>
        <ProductForm />
      </section>
      <section className="card products" aria-label="All products">
        <Products />
      </section>
    </Page>
  )
}

function Products() {
  const { data, error, refetch } = useProducts()
  if (data !== undefined) return <ProductTable products={data} />
  if (error === null) return <Spinner />
  return <LoadFailed title="The products could not be loaded" message={error.message} onRetry={refetch} />
}
